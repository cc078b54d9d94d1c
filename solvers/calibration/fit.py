"""Fit a calibration on scores of rows that the scorer did not see."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.calibration.calibration import Calibration
from solvers.calibration.curve import fit_curve
from solvers.calibration.sigmoid import fit_sigmoid
from solvers.errors import UnknownNameError

__all__ = ["CURVE_MINORITY", "FEW_ROWS", "fit_calibration"]

Floats = NDArray[np.float64]

METHODS = ("auto", "sigmoid", "curve")
# Below this many rows a calibrated probability is a rough guess, and we say so.
FEW_ROWS = 50
# A curve bends where rows of both classes say so; below, two parameters do as well.
CURVE_MINORITY = 50
MOST_PIECES = 8
_FLAT = "the scores do not rise with the label: every row gets the share of +1"


def fit_calibration(
    scores: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    method: str = "auto",
) -> Calibration:
    """Return the calibration of out-of-fold scores.

    Parameters
    ----------
    scores : array-like of shape (n_rows,)
        Finite scores of rows that the scorer was not fitted on.
    y : array-like of shape (n_rows,)
        Labels -1 and +1; one class may be absent (the curve is then flat).
    sample_weight : array-like of shape (n_rows,), optional
        Non-negative; only their ratios matter.
    method : {"auto", "sigmoid", "curve"}, default="auto"
        "auto" takes "curve" from 50 rows of the smaller class on. The curve has one
        piece for every 25 of them, 8 at most.

    Raises
    ------
    ValueError
        On shapes that disagree, values that are not finite, other labels, no rows.
    UnknownNameError
        On another method.
    """
    if method not in METHODS:
        what = "calibration method"
        raise UnknownNameError(what, method, METHODS)
    f, positive, weights = _checked(scores, y, sample_weight)
    rows = len(f)
    n_positive = int(np.count_nonzero(positive))
    minority = min(n_positive, rows - n_positive)
    notes = _notes_on_rows(rows, minority)
    prevalence = float(np.average(positive, weights=weights))
    known = prevalence if 0.0 < prevalence < 1.0 else None
    if method == "curve" or (method == "auto" and minority >= CURVE_MINORITY):
        pieces = min(max(2 * minority // CURVE_MINORITY, 1), MOST_PIECES)
        knots, heights = fit_curve(f, positive, weights, pieces)
        if knots[0] == knots[-1] or heights[0] == heights[-1]:
            notes += (_FLAT,)
        return Calibration(
            "curve",
            knots=knots,
            heights=heights,
            prevalence=known,
            rows=rows,
            notes=notes,
        )
    slope, intercept = fit_sigmoid(f, positive, weights)
    if slope == 0.0:
        notes += (_FLAT,)
    return Calibration(
        "sigmoid", slope, intercept, prevalence=known, rows=rows, notes=notes
    )


def _notes_on_rows(rows: int, minority: int) -> tuple[str, ...]:
    if rows < FEW_ROWS:
        return (
            f"calibrated on {rows} rows only (fewer than {FEW_ROWS}): the"
            " probabilities are rough",
        )
    if minority < 10:
        return (
            f"calibrated with {minority} rows of the rarer class only: the"
            " probabilities are rough",
        )
    return ()


def _checked(
    scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Floats, NDArray[np.bool_], Floats]:
    f = np.ascontiguousarray(scores, dtype=np.float64)
    labels = np.asarray(y)
    if f.ndim != 1 or labels.shape != f.shape:
        msg = f"scores and y must have one shape (n_rows,): {f.shape}, {labels.shape}"
        raise ValueError(msg)
    if not np.isfinite(f).all():
        msg = "scores must be finite to be calibrated"
        raise ValueError(msg)
    positive = np.asarray(labels == 1, dtype=bool)
    if labels.dtype == bool or not np.all(positive | (labels == -1)):
        msg = "y must hold -1 and +1 only; map your labels first"
        raise ValueError(msg)
    weights = np.ones(len(f))
    if sample_weight is not None:
        weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
        legal = weights.shape == f.shape and np.isfinite(weights).all()
        if not legal or (weights < 0).any():
            msg = "sample_weight must hold one finite number >= 0 per row"
            raise ValueError(msg)
    kept = weights > 0
    if not kept.any():
        msg = "no rows to calibrate on"
        raise ValueError(msg)
    f, positive, weights = f[kept], positive[kept], weights[kept]
    return f, positive, weights / weights.mean()
