"""What is drawn: rows, or all rows of a group at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["rows_of_groups", "size_of_unit", "units_alike"]

Floats = NDArray[np.float64]

_LEVELS = 64


def units_alike(
    groups: NDArray[Any] | None, *columns: NDArray[Any]
) -> tuple[NDArray[np.intp], Floats]:
    """Return the unit of each row, and for how many draws each unit stands.

    Without groups every row is a draw, and rows that are (nearly) alike in all columns
    stand for one another: there are few kinds of them, so that all stays quick.
    """
    if groups is not None:
        unit = np.unique(groups, return_inverse=True)[1]
        return unit, np.ones(int(unit.max()) + 1)
    alike = np.zeros(len(columns[0]), dtype=np.intp)
    for values in columns:
        low, high = float(values.min()), float(values.max())
        step = (high - low) / (_LEVELS - 1) or 1.0
        alike = alike * _LEVELS + np.rint((values - low) / step).astype(np.intp)
    unit = np.unique(alike, return_inverse=True)[1]
    return unit, np.bincount(unit).astype(np.float64)


def size_of_unit(sides: Floats, weight: Floats) -> Floats:
    """Return the weight that an unseen row of each class would have, shape (2,)."""
    sums = sides.sum(axis=1)
    everyone = float((weight * weight).sum() / weight.sum())
    known = sums > 0.0
    # Products of vectors would wait for the threads of BLAS.
    own = (sides * weight).sum(axis=1)
    return np.where(known, own / np.where(known, sums, 1.0), everyone)


def rows_of_groups(groups: NDArray[Any] | None) -> float:
    """Return in how many rows' company a row is drawn, itself included: 1 without."""
    if groups is None:
        return 1.0
    rows = np.unique(groups, return_counts=True)[1].astype(np.float64)
    return float(rows @ rows / rows.sum())
