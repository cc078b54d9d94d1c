"""With order_by no split lets a later row decide an earlier one; groups stay whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.train.schemas import Evaluation
from app.worker.fit.partition import blocks_by_time, partition
from tests.app.samples import sample
from tests.app.worker.fit.mixed_columns import COLUMNS, rows, trained


def timed(y, moment, groups=None):
    return sample(np.where(y, 1.0, -1.0), moment=moment, groups=groups)


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.booleans(), st.integers(30, 200))
def test_blocks_follow_rows_of_both_classes(seed, grouped, n):
    draw = np.random.default_rng(seed)
    y, moment = draw.random(n) < 0.4, draw.integers(0, n // 3, n).astype(float)
    groups = draw.integers(0, n // 4, n) if grouped else None
    asked = timed(y, moment, groups)
    block = blocks_by_time(asked, np.arange(n))
    if block is None:
        return
    latest = moment
    if groups is not None:
        latest = np.array([moment[groups == g].max() for g in groups])
        assert all(len(set(block[groups == g])) == 1 for g in set(groups.tolist()))
    for b in range(1, int(block.max()) + 1):
        assert latest[block < b].max() < latest[block == b].min()
        assert len(set(y[block < b])) == 2
    assert len(set(y[block > 0])) == 2


def test_calibration_comes_after_training_and_before_what_is_held_out():
    draw = np.random.default_rng(0)
    moment = draw.permutation(400).astype(float)
    parts = partition(
        timed(draw.random(400) < 0.5, moment),
        Evaluation(order_by="day"),
        promises=True,
    )
    assert len(parts.calibration) == pytest.approx(100, abs=1)
    assert moment[parts.training].max() < moment[parts.calibration].min()
    assert moment[parts.calibration].max() < moment[parts.holdout].min()


def by_day(order):
    columns = [*COLUMNS[:4], "day", "outcome"]
    table = [
        [*row[:4], int(day), row[4]] for day, row in zip(order, rows(), strict=True)
    ]
    options = {"table": table, "columns": columns, "rule": {"kind": "chow"}}
    return trained(**options, guards={"outlier": True}, evaluation={"order_by": "day"})


def test_scores_for_thresholds_come_from_models_of_earlier_rows():
    days = np.random.default_rng(5).permutation(160)
    result = by_day(days)
    evidence = result.artifact["evidence"]
    scored, training = evidence["out_of_fold"], evidence["split"]["training"]
    assert set(scored["rows"]) < set(training)
    only_trained = np.setdiff1d(training, scored["rows"])
    assert days[only_trained].max() < days[scored["rows"]].min()
    for fold in range(int(scored["fold"].max())):
        early, late = (
            days[scored["rows"][scored["fold"] == k]] for k in (fold, fold + 1)
        )
        assert early.max() < late.min()
    assert len(scored["guarded"]) == len(scored["scores"]) == len(scored["rows"])
    assert not any("drawn at random" in warning for warning in result.warnings)


def test_rows_that_time_does_not_mix_are_scored_at_random_and_that_is_said():
    order = np.argsort(np.argsort([row[-1] for row in rows()], kind="stable"))
    result = by_day(order)
    assert any("drawn at random" in warning for warning in result.warnings)
