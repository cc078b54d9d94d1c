"""A training with a promise follows from its rows: no seed and no order changes it."""

import numpy as np
import pytest

from app.worker.fit.pipeline import run

LABEL = {"column": "y", "positive": 1}


def request(rows, columns, **more):
    return {
        "model": "m",
        "data": {"kind": "inline", "columns": columns, "rows": rows},
        "trainer": {"kind": "svm", "kernel": {"kind": "linear"}},
        "rule": {"kind": "bounded-error", "max_error": 0.2},
        "target": LABEL,
        **more,
    }


def drawn(n, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    chance = 1 / (1 + np.exp(-2.5 * x[:, 0] - x[:, 1]))
    return x, chance, rng


def rows_of(n, seed=0):
    x, chance, rng = drawn(n, seed)
    y = (rng.random(n) < chance).astype(int)
    return [[*map(float, one), int(label)] for one, label in zip(x, y, strict=True)]


def trained(rows, columns=("a", "b", "y"), **more):
    return run(request(rows, list(columns), **more), lambda *_: True)


def rule_of(done):
    return done.artifact["rule"]


def test_no_seed_finds_another_promise():
    rows = rows_of(120)
    found = [rule_of(trained(rows, evaluation={"seed": seed})) for seed in (0, 12345)]
    assert found[0] == found[1]


def test_the_same_rows_in_another_order_are_parted_alike():
    rows = rows_of(120)
    mixed = np.random.default_rng(1).permutation(120)
    first = trained(rows).artifact["evidence"]["split"]
    again = trained([rows[k] for k in mixed]).artifact["evidence"]["split"]
    for part in ("training", "calibration", "holdout"):
        assert set(mixed[again[part]]) == set(first[part])
    other = trained([*rows[:-1], [0.123, 0.456, 1]]).artifact["evidence"]["split"]
    assert set(other["calibration"]) != set(first["calibration"])


def test_the_seed_still_draws_where_nothing_is_promised():
    rows = rows_of(120)
    splits = [
        trained(rows, rule=None, evaluation={"seed": seed}).artifact["evidence"]
        for seed in (0, 1)
    ]
    first, second = (one["split"]["holdout"] for one in splits)
    assert set(first) != set(second)


def test_with_groups_the_promise_counts_groups():
    rows = [[*row, f"g{k // 4}"] for k, row in enumerate(rows_of(400))]
    facts = rule_of(trained(rows, ("a", "b", "y", "who"), groups="who"))
    assert facts["groups"] == pytest.approx(25, abs=2)
    assert facts["rows"] == 4 * facts["groups"]
    assert facts["counted_rows"] < facts["groups"]
    assert "groups" in facts["promise"]


def test_a_doubtful_row_is_one_row():
    x, chance, _ = drawn(400)
    rows = [[*map(float, one), float(p)] for one, p in zip(x, chance, strict=True)]
    target = {"column": "y", "probability": True}
    done = trained(rows, target=target, evaluation={"calibration": 0.25})
    assert rule_of(done)["rows"] == 100


def test_rows_that_look_as_if_they_hung_together_are_told_of_a_promise():
    copies = [rows_of(30)[k // 4] for k in range(120)]
    (told,) = [w for w in trained(copies).warnings if "belong together" in w]
    assert "as groups" in told
    quiet = trained(copies, rule=None)
    assert not any("belong together" in warning for warning in quiet.warnings)


def test_a_limit_on_rejects_with_a_confidence_is_counted_on_rows_kept_apart():
    rule = {"kind": "bounded-abstention", "max_reject_rate": 0.3, "confidence": 0.8}
    done = trained(rows_of(200), rule=rule)
    assert len(done.artifact["evidence"]["split"]["calibration"]) == 50
    assert rule_of(done)["rows"] == 50
    assert "80 % confidence" in done.summary["promise"]
    del rule["confidence"]
    average = trained(rows_of(120), rule=rule)
    assert not len(average.artifact["evidence"]["split"]["calibration"])
    assert average.summary["promise"] is None
