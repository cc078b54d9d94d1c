"""How rows are parted, and scaled by what the training part shows.

Every part of a random split is disjoint from the others, and nothing is learnt from a
test part: means and deviations are those of the first part.
"""

from collections.abc import Sequence

import numpy as np

from experiments.loading import Floats, Rows

__all__ = ["FIFTH", "parts", "scaled", "standardised"]

# Test rows per row that a method may learn from, where a fifth is the test part.
FIFTH = 0.25


def parts(
    rows: Rows,
    shares: Sequence[int],
    rng: np.random.Generator,
    *,
    stratified: bool = False,
) -> list[Rows]:
    """Split rows at random into parts of the given shares.

    Parameters
    ----------
    rows : (features, labels)
    shares : sequence of int
        For instance (3, 1, 1); every row lands in exactly one part.
    rng : numpy Generator
    stratified : bool
        Whether each label is split by itself, so that all parts have its share.
    """
    X, y = rows
    groups = (
        [np.flatnonzero(y == v) for v in (-1, 1)] if stratified else [np.arange(len(y))]
    )
    edges = np.cumsum(shares)[:-1] / np.sum(shares)
    cut = [
        np.split(rng.permutation(g), np.rint(edges * len(g)).astype(int))
        for g in groups
    ]
    chosen = [
        rng.permutation(np.concatenate(pieces)) for pieces in zip(*cut, strict=True)
    ]
    return [(X[rows_], y[rows_]) for rows_ in chosen]


def standardised(train: Rows, *others: Rows) -> list[Rows]:
    """Return all parts with the training part's means at 0 and deviations at 1."""
    mean, deviation = train[0].mean(axis=0), train[0].std(axis=0)
    deviation = np.where(deviation > 0.0, deviation, 1.0)
    return [((X - mean) / deviation, y) for X, y in (train, *others)]


def scaled(train: Floats, *others: Floats) -> list[Floats]:
    """Return all parts with the training part's ranges at [-1, 1]."""
    low, high = train.min(axis=0), train.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    return [2.0 * (X - low) / width - 1.0 for X in (train, *others)]
