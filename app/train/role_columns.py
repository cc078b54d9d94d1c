"""Readers of the columns that are no features, and the faults they find.

Each reader takes the cells of one column and returns one number a row. A fault is
raised with the row and the column's name; the cell itself is never quoted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError
from app.errors.faults import at, refuse
from app.features.values import category
from app.train.rows import Cell
from solvers.kernel_declarations import ETA_RANGE

__all__ = [
    "Place",
    "read_groups",
    "read_moments",
    "read_precisions",
    "read_probabilities",
    "read_weights",
]

Floats = NDArray[np.float64]

_LEAST_WEIGHT, _LARGEST_WEIGHT = 1e-12, 1e12


@dataclass(frozen=True, slots=True)
class Place:
    """A column of the table: its name and its position."""

    name: str
    position: int

    def fault(self, row: int, detail: str) -> FieldError:
        """Return the error of one cell."""
        return FieldError(
            at("data", "rows", row, self.position), detail, row, self.name
        )

    def require(
        self, cells: Sequence[Cell], fits: Callable[[Cell], bool], detail: str
    ) -> None:
        """Refuse the column where a cell does not fit."""
        faults = [
            self.fault(i, detail) for i, cell in enumerate(cells) if not fits(cell)
        ]
        if faults:
            raise refuse(faults)


def read_weights(place: Place, cells: Sequence[Cell]) -> Floats:
    """Return row weights: each 0, or in a range whose sums lose none to rounding."""
    place.require(
        cells,
        lambda cell: (
            _number(cell) and (cell == 0 or _LEAST_WEIGHT <= cell <= _LARGEST_WEIGHT)  # type: ignore[operator]
        ),
        f"a weight is 0 or a number from {_LEAST_WEIGHT:g} to {_LARGEST_WEIGHT:g}",
    )
    return np.array(cells, dtype=np.float64)


def read_precisions(place: Place, cells: Sequence[Cell]) -> Floats:
    """Return each row's own eta."""
    place.require(
        cells,
        lambda cell: _number(cell) and ETA_RANGE[0] <= cell <= ETA_RANGE[1],  # type: ignore[operator]
        f"a precision is a number from {ETA_RANGE[0]:g} to {ETA_RANGE[1]:g}",
    )
    return np.array(cells, dtype=np.float64)


def read_probabilities(place: Place, cells: Sequence[Cell]) -> Floats:
    """Return probabilities of +1; a cell of -1 is certainly not, so 0."""
    place.require(
        cells,
        lambda cell: _number(cell) and (0 <= cell <= 1 or cell == -1),  # type: ignore[operator]
        "a probability is a number in [0, 1], or -1 for certainly not",
    )
    return np.maximum(np.array(cells, dtype=np.float64), 0.0)


def read_groups(place: Place, cells: Sequence[Cell]) -> NDArray[np.int64]:
    """Return one number a group, in the order of first appearance."""
    place.require(cells, lambda cell: cell is not None, "every row needs its group")
    names = {cell: category(cell) for cell in set(cells)}  # type: ignore[arg-type]  # none is None
    numbers: dict[str, int] = {}
    return np.array(
        [numbers.setdefault(names[cell], len(numbers)) for cell in cells],
        dtype=np.int64,
    )


def read_moments(place: Place, cells: Sequence[Cell]) -> Floats:
    """Return points in time: numbers as they are, ISO 8601 dates as seconds.

    A date without an offset is read as UTC.
    """
    moments = np.empty(len(cells))
    faults = []
    for i, cell in enumerate(cells):
        try:
            moments[i] = _moment(cell)
        except (ValueError, OverflowError):
            faults.append(place.fault(i, "a date in ISO 8601 or a number is needed"))
    if faults:
        raise refuse(faults)
    return moments


def _number(cell: Cell) -> bool:
    return (
        isinstance(cell, int | float) and not isinstance(cell, bool) and isfinite(cell)
    )


def _moment(cell: Cell) -> float:
    if isinstance(cell, str):
        moment = datetime.fromisoformat(cell)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    if _number(cell):
        return float(cell)  # type: ignore[arg-type]
    raise ValueError
