"""The parts that a training's rows are split into, as the request asks.

Rows of weight 0 belong to no part: they count as no rows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError
from app.errors.faults import refuse
from app.train.schemas import Evaluation
from app.train.target import Sample
from solvers.splits import (
    Units,
    cut_by_time,
    draw,
    draw_blindly,
    folds_of,
    latest_moment,
    units_of,
)

__all__ = [
    "FOLDS",
    "Partition",
    "blocks_by_time",
    "folds",
    "partition",
    "positive_of",
    "units_among",
]

FOLDS = 5
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Indices of rows, ascending; no row is in two parts."""

    training: Rows
    calibration: Rows
    holdout: Rows

    def payload(self) -> dict[str, Any]:
        """Return the split as plain data."""
        return {
            "training": self.training,
            "calibration": self.calibration,
            "holdout": self.holdout,
        }


def partition(sample: Sample, evaluation: Evaluation, *, promises: bool) -> Partition:
    """Split the rows of a sample.

    Parameters
    ----------
    sample : Sample
    evaluation : Evaluation
        Shares of all rows, seed, and whether time decides.
    promises : bool
        Whether a rule needs a calibration part of its own.

    Raises
    ------
    InvalidRequestError
        When a part would lack a class that it needs.
    """
    generator = np.random.default_rng(evaluation.seed)
    rows = counted(sample)
    if sample.keys is not None:  # the same rows are drawn alike in any order
        rows = rows[np.argsort(sample.keys[rows], kind="stable")]
    held = np.zeros(len(rows), dtype=bool)
    if evaluation.holdout > 0:
        units = units_among(sample, rows)
        if sample.moment is None:
            held = draw(units, evaluation.holdout, generator)
        else:
            held = cut_by_time(units, sample.moment[rows], evaluation.holdout)
        if not held.any():
            detail = "no row can be held out: the rows are of one group or one moment"
            raise refuse([FieldError("/evaluation/holdout", detail)])
    rest = rows[~held]
    kept = np.zeros(len(rest), dtype=bool)
    if promises:
        share = evaluation.calibration / (1.0 - evaluation.holdout)
        units = units_among(sample, rest)
        if sample.moment is None:
            kept = draw_blindly(units, share, generator)
        else:  # the last before those held out: nearest to the cases in use
            kept = cut_by_time(units, sample.moment[rest], share)
        if not kept.any():
            detail = (
                "no row is left to calibrate on: the rows are of one group or moment"
            )
            raise refuse([FieldError("/evaluation/calibration", detail)])
        _require_both(sample, rest[kept], "/evaluation/calibration", "calibration")
    training = rest[~kept]
    _require_both(sample, training, "/evaluation", "training")
    return Partition(np.sort(training), np.sort(rest[kept]), np.sort(rows[held]))


def folds(sample: Sample, rows: Rows, seed: int, most: int = FOLDS) -> Rows:
    """Return the fold (0 to at most ``most - 1``) of each of these rows.

    Raises
    ------
    InvalidRequestError
        When the groups leave a fold whose other rows have one class only.
    """
    units = units_among(sample, rows)
    fewest = int((units.counts > 0).sum(axis=0).min())
    fold = folds_of(units, max(2, min(most, fewest)), np.random.default_rng(seed))
    for k in np.unique(fold):
        pointer = "/data/rows" if sample.groups is None else "/groups"
        _require_both(sample, rows[fold != k], pointer, "training part of a fold")
    return fold


def blocks_by_time(sample: Sample, rows: Rows, most: int = FOLDS) -> Rows | None:
    """Return the block in time of each row: 0 (trains only) to at most ``most``.

    A group stands where its latest row does. Every block but the first is preceded by
    rows of both classes, and these blocks together have both; None where no such
    blocks can be made, or rows are not ordered.
    """
    if sample.moment is None:
        return None
    units = units_among(sample, rows)
    of_row = latest_moment(units, sample.moment[rows])
    ordered = np.sort(of_row)
    wanted = np.arange(1, most + 1) * len(ordered) // (most + 1)
    starts = np.unique(ordered[wanted])
    block = np.searchsorted(starts, of_row, side="right").astype(np.int64)
    positive = positive_of(sample, rows)
    for first in range(int(block.max()) + 1):
        early = positive[block <= first]
        if early.any() and not early.all():
            block = np.maximum(block - first, 0)
            late = positive[block > 0]
            return block if late.any() and not late.all() else None
    return None


def counted(sample: Sample) -> Rows:
    """Return the rows that count: those of positive weight."""
    if sample.weight is None:
        return np.arange(len(sample.y), dtype=np.int64)
    return np.flatnonzero(sample.weight > 0)


def positive_of(sample: Sample, rows: Rows) -> NDArray[np.bool_]:
    """Return which of these rows count as +1, shape (n_rows,)."""
    return np.asarray(sample.y[rows] > (0.5 if sample.probabilities else 0.0))


def units_among(sample: Sample, rows: Rows) -> Units:
    """Return what must stay together among these rows."""
    groups = None if sample.groups is None else sample.groups[rows]
    return units_of(positive_of(sample, rows), groups)


def _require_both(sample: Sample, rows: Rows, pointer: str, part: str) -> None:
    positive = positive_of(sample, rows)
    if positive.all() or not positive.any():
        label = sample.negative if positive.all() else sample.positive
        detail = (
            f"the {part} has rows of one class only, none of the label {label!r}; send"
            " more of these, or hold out fewer"
        )
        if sample.groups is not None:
            detail += ", or choose other groups"
        raise refuse([FieldError(pointer, detail)])
