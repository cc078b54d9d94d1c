"""Folds that judge a candidate, and whose scores its rule may learn from.

At random, every fold is scored by a model of the other folds, and decided by a rule
that is fitted on the scores of the other folds. By time, the rows become consecutive
blocks: a block is scored by a model of all earlier ones, and decided by a rule fitted
on the scores of earlier ones. So the first block only trains, the second is only
scored, and the rest are decided. Either way no row has a part in its own decision by
its score, groups stay whole, and a later row never decides an earlier one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError
from app.errors.faults import refuse
from app.train.target import Sample
from app.worker.fit.partition import folds, positive_of, units_among
from solvers.splits import latest_moment

__all__ = ["Fold", "search_folds"]

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]

_TRAINS_AND_TUNES = 2


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """One model of the search: what it learns from, what it scores.

    Parameters
    ----------
    fits, scores : ndarray of shape (n_rows,), bool
        Of the training part.
    tuned_by : tuple of int
        The folds whose scores the rule for this one is fitted on; empty where the
        fold is not decided.
    """

    fits: NDArray[np.bool_]
    scores: NDArray[np.bool_]
    tuned_by: tuple[int, ...]


def search_folds(sample: Sample, rows: Rows, seed: int, wanted: int) -> list[Fold]:
    """Return the folds of a search.

    Parameters
    ----------
    sample : Sample
    rows : ndarray of int
        The training part.
    seed : int
    wanted : int
        How many folds are to be decided.

    Raises
    ------
    InvalidRequestError
        When there are too few moments or groups, or a part has one class only.
    """
    if sample.moment is not None:
        return _by_time(sample, rows, wanted)
    fold = folds(sample, rows, seed, wanted)
    n = int(fold.max()) + 1
    return [
        Fold(fold != k, fold == k, tuple(j for j in range(n) if j != k))
        for k in range(n)
    ]


def _by_time(sample: Sample, rows: Rows, wanted: int) -> list[Fold]:
    positive = positive_of(sample, rows)
    moment = np.asarray(sample.moment)[rows]
    latest = latest_moment(units_among(sample, rows), moment)
    block = _blocks(latest, wanted + _TRAINS_AND_TUNES)
    for part in (block == 0, block == 1):
        if positive[part].all() or not positive[part].any():
            raise refuse(
                [
                    FieldError(
                        "/search/folds",
                        "an early stretch of the rows has one class only; ask for"
                        " fewer folds, or leave order_by out",
                    )
                ]
            )
    return [
        Fold(block < b, block == b, tuple(range(b - 1)))
        for b in range(1, wanted + _TRAINS_AND_TUNES)
    ]


def _blocks(moment: Floats, n_blocks: int) -> Rows:
    """Return the block of each row: consecutive in time, about equally large."""
    moments, counts = np.unique(moment, return_counts=True)
    if len(moments) < n_blocks:
        raise refuse(
            [
                FieldError(
                    "/search/folds",
                    f"the training rows have {len(moments)} different moments;"
                    f" {n_blocks - _TRAINS_AND_TUNES} folds by time need {n_blocks}:"
                    " ask for fewer folds",
                )
            ]
        )
    before = np.cumsum(counts) - counts
    cuts: list[int] = []
    for b in range(1, n_blocks):
        first = cuts[-1] + 1 if cuts else 1
        last = len(moments) - (n_blocks - 1 - b)
        nearest = np.abs(before[first:last] - b * len(moment) / n_blocks)
        cuts.append(first + int(np.argmin(nearest)))
    return np.searchsorted(moments[cuts], moment, side="right").astype(np.int64)
