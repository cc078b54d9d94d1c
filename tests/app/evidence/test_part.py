"""Parts at another share of +1: Bayes' rule, and what a row counts for."""

import numpy as np
import pytest

from app.evidence.part import take
from tests.app.samples import sample


def test_labels_are_certain_rows():
    part = take(sample([1, -1, 1]), np.arange(3), None)
    position, label, weight = part.certain()
    np.testing.assert_array_equal(position, [0, 1, 2])
    np.testing.assert_array_equal(label, [1, -1, 1])
    np.testing.assert_array_equal(weight, [1, 1, 1])
    assert part.sample_weight is None


def test_an_uncertain_row_counts_for_both_classes():
    part = take(
        sample([0.25, 1.0], weight=[4, 2], probabilities=True), np.arange(2), None
    )
    position, label, weight = part.certain()
    counted = {
        (int(i), int(y)): w for i, y, w in zip(position, label, weight, strict=True)
    }
    assert counted == {(0, 1): 1.0, (0, -1): 3.0, (1, 1): 2.0}


@pytest.mark.parametrize("probabilities", [False, True])
def test_the_share_in_use_is_the_prevalence(probabilities):
    y = [0.9, 0.2, 1, 0, 0.4] if probabilities else [1, -1, 1, -1, -1]
    part = take(
        sample(y, weight=[1, 2, 3, 4, 5], probabilities=probabilities),
        np.arange(5),
        0.02,
    )
    assert np.average(part.positive, weights=part.weight) == pytest.approx(0.02)
    # Total weight is kept: only the classes' shares change.
    assert part.weight.sum() == pytest.approx(15)


def test_odds_change_by_the_ratio_of_prior_odds():
    before = take(sample([0.5, 0.25, 1, 0], probabilities=True), np.arange(4), None)
    after = take(sample([0.5, 0.25, 1, 0], probabilities=True), np.arange(4), 0.1)
    share = before.positive.mean()
    ratio = (0.1 / 0.9) / (share / (1 - share))
    odds = before.positive[:2] / (1 - before.positive[:2])
    np.testing.assert_allclose(
        after.positive[:2] / (1 - after.positive[:2]), odds * ratio
    )
