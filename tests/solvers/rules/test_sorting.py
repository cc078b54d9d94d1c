"""Scores sorted with their labels: never a bit lost."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from solvers.rules.counts import between, count, sort_scores

tiny = np.finfo(float).smallest_subnormal


@given(
    st.lists(
        st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.booleans()),
        min_size=1,
        max_size=40,
    )
)
def test_packing_labels_into_scores_keeps_every_bit(rows):
    scores = np.asarray([score for score, _ in rows])
    labels = np.asarray([label for _, label in rows])
    ordered = sort_scores(scores, labels)
    order = np.lexsort((labels, scores))
    assert np.array_equal(ordered.values(slice(None)), scores[order])
    differs = scores[order][1:] != scores[order][:-1]
    assert np.array_equal(ordered.differs_from_next(slice(None)), differs)
    counts = count(scores, labels)
    for value, below in zip(counts.values, counts.positive_below, strict=False):
        assert below == np.sum(labels & (scores < value))


@pytest.mark.parametrize(
    "scores",
    [
        [0.0, -0.0, 0.0],
        [1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0)],
        [tiny, 2 * tiny, 0.0, -tiny],
        [1e300, tiny, -1e300, 3 * tiny],
        [1.7e308, -1.7e308],
    ],
)
def test_neighbours_zeros_and_subnormals_stay_apart(scores):
    scores = np.asarray(scores)
    ordered = sort_scores(scores, np.arange(len(scores)) % 2 == 0)
    assert np.array_equal(ordered.values(slice(None)), np.sort(scores))


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
)
@example(1.0, np.nextafter(1.0, 2.0))
@example(np.nextafter(1.0, 2.0), np.nextafter(1.0 + 3e-16, 2.0))
@example(0.0, tiny)
def test_a_threshold_between_two_scores_separates_them(a, b):
    if a == b:
        return
    left, right = min(a, b), max(a, b)
    assert left < between(left, right) <= right
