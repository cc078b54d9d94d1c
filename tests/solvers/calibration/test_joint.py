"""What h and r say together: between doubt and twice h, and only where r says it."""

import numpy as np
import pytest

from solvers.calibration.joint import choose_leaning, leaned
from solvers.scoring import load

H = np.linspace(-3, 3, 61)


def test_without_leaning_it_is_h():
    r = np.random.default_rng(0).normal(size=len(H))
    assert leaned(H, r, 0.0) is H
    np.testing.assert_allclose(leaned(H, 0 * r, 5.0), H, atol=1e-12)


@pytest.mark.parametrize("leaning", [0.1, 1.0, 40.0])
@pytest.mark.parametrize("r", [-2.0, -0.1, 0.3, 5.0])
def test_it_rises_with_h_and_keeps_its_sign(leaning, r):
    told = leaned(H, np.full(len(H), r), leaning)
    assert (np.diff(told) > 0).all()
    np.testing.assert_allclose(told, -told[::-1], atol=1e-12)
    assert (np.abs(told) <= 2 * np.abs(H) + 1e-12).all()
    larger = leaned(H, np.full(len(H), r + 0.1), leaning)
    assert (np.abs(larger) >= np.abs(told) - 1e-12).all()


def test_ends():
    np.testing.assert_allclose(leaned(H, np.full(len(H), 50.0), 1.0), 2 * H)
    np.testing.assert_allclose(leaned(H, np.full(len(H), -50.0), 1.0), 0 * H, atol=1e-9)


def drawn(seed, told):
    """Return a pair, labels drawn by what they say together, and even weights."""
    rng = np.random.default_rng(seed)
    h, r = rng.normal(size=(2, 2000))
    positive = rng.random(2000) < 1 / (1 + np.exp(-told(h, r)))
    return h, r, np.where(positive, 1, -1), np.ones(2000)


def test_a_rejector_that_knows_is_believed():
    found = [
        choose_leaning(*drawn(i, lambda h, r: leaned(h, r, 2.0))) for i in range(5)
    ]
    assert min(found) > 0.4


def test_a_rejector_that_knows_nothing_is_not():
    found = [choose_leaning(*drawn(i, lambda h, r: 1.5 * h + 0 * r)) for i in range(10)]
    assert np.mean(np.array(found) > 0) <= 0.3


def test_a_rejector_that_never_changes_says_nothing():
    h, _, y, w = drawn(0, lambda h, r: h + 0 * r)
    assert choose_leaning(h, np.full(len(h), 0.3), y, w) == 0.0


def test_units_do_not_matter():
    h, r, y, w = drawn(3, lambda h, r: leaned(h, r, 2.0))
    once, many = choose_leaning(h, r, y, w), choose_leaning(h, r * 50, y, w * 7)
    np.testing.assert_allclose(many * 50, once)


def test_stumps_tell_what_both_say():
    stump = {name: [0] for name in ("feature", "middle")}
    stump |= {"lower": [0.0], "upper": [0.0], "left": [-1], "right": [1]}
    payload = {"kind": "stumps", "n_features": 1, "constant": 0.25, "importance": {}}
    payload |= {**stump, "missing": [0], "weight": [0.5]}
    X = np.array([[-1.0], [2.0]])
    plain, leaning = load(payload), load({**payload, "leaning": 3.0})
    assert plain.outputs(X).log_odds is None
    told = leaning.outputs(X)
    np.testing.assert_array_equal(told.score, plain.score(X))
    expected = leaned(told.score, told.reject_score, 3.0)
    np.testing.assert_array_equal(told.log_odds, expected)
    assert leaning.payload()["leaning"] == 3.0
