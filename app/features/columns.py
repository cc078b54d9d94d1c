"""A column of values as one array of one type, or the fault of its first bad cell.

A whole number from 2^53 on may have more digits than a float64 keeps: its column is
text, as the same digits in a CSV file are.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError
from app.errors.faults import unusable
from app.features.values import category, marks_of, numbers_of, trimmed

__all__ = [
    "EXACT",
    "ColumnType",
    "Place",
    "by_value",
    "spelled",
    "typed",
    "typed_array",
    "unmarked",
]

ColumnType = Literal["numeric", "boolean", "categorical"]

EXACT = 2.0**53
"""Below it every whole number is a float64."""

_TYPES: dict[type, ColumnType] = {
    int: "numeric",
    float: "numeric",
    bool: "boolean",
    str: "categorical",
}
_WORDS = {"numeric": "a number", "boolean": "a boolean", "categorical": "a string"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column lies in the request."""

    name: str
    rows: str
    index: int

    def fault(self, row: int, detail: str) -> FieldError:
        """Return the error of one cell."""
        pointer = f"{self.rows}/{row}/{self.index}"
        return FieldError(pointer, detail, row=row, column=self.name)


def typed(values: Sequence[object], place: Place) -> tuple[NDArray[Any], ColumnType]:
    """Return values as JSON gives them as an array, and its type.

    Raises
    ------
    InvalidRequestError
        When they are of several types, or one is no scalar or not finite.
    """
    kinds = set(map(type, values))
    kinds.discard(type(None))
    unknown = kinds - _TYPES.keys()
    if unknown:
        row = next(i for i, v in enumerate(values) if type(v) in unknown)
        detail = "a value is a number, a boolean, a string or null"
        raise unusable([place.fault(row, detail)])
    types = {_TYPES[kind] for kind in kinds}
    if len(types) > 1:
        raise unusable([_mixed(values, place)])
    kind = types.pop() if types else "numeric"
    if kind == "boolean":
        return _objects(values), kind
    if kind == "numeric":
        numbers = _numbers(values, place)
        return (
            (by_value(values, category), "categorical")
            if numbers is None
            else (numbers, kind)
        )
    texts = by_value(values, lambda text: trimmed(text) or None)
    if not any(texts):
        return np.full(len(values), np.nan), "numeric"
    return texts, kind


def typed_array(values: NDArray[Any], place: Place) -> tuple[NDArray[Any], ColumnType]:
    """Return a column as `typed` does; NaN is missing, infinities are refused."""
    if values.dtype.kind in "iuf":
        numbers = values.astype(np.float64)
        infinite = np.flatnonzero(np.isinf(numbers))
        if len(infinite):
            detail = "the number is not finite"
            raise unusable([place.fault(int(infinite[0]), detail)])
        return numbers, "numeric"
    listed = values.tolist()
    # A float NaN among objects is how pandas and pyarrow write a missing value.
    return typed([None if v != v else v for v in listed], place)  # noqa: PLR0124


def unmarked(values: NDArray[Any], marks: Sequence[str]) -> NDArray[Any]:
    """Return a column in which what equals a mark is missing."""
    if values.dtype.kind in "iuf":
        marked = np.isin(values, numbers_of(marks))
        return np.where(marked, np.nan, values) if marked.any() else values
    texts = marks_of(marks)
    listed = values.tolist()
    return by_value(listed, lambda value: None if category(value) in texts else value)


def by_value(
    values: Sequence[Any], meaning: Callable[[Any], Any]
) -> NDArray[np.object_]:
    """Return what each value becomes; None stays None."""
    # True equals 1, so each is looked up with its type.
    known: dict[tuple[type, Any], Any] = {(type(None), None): None}
    made = []
    for value in values:
        key = (type(value), value)
        if key not in known:
            known[key] = meaning(value)
        made.append(known[key])
    return _objects(made)


def spelled(values: Sequence[Any], types: Collection[type]) -> NDArray[np.object_]:
    """Return a column whose values of these types are the categories they mean."""
    return by_value(values, lambda v: category(v) if type(v) in types else v)


def _objects(values: Sequence[Any]) -> NDArray[np.object_]:
    # NumPy left to itself would turn numbers beside strings into strings.
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _mixed(values: Sequence[object], place: Place) -> FieldError:
    first: ColumnType | None = None
    for row, value in enumerate(values):
        kind = _TYPES.get(type(value))
        if kind is None:
            continue
        if first is not None and kind != first:
            detail = (
                f"{_WORDS[kind]} in a column where the rows above have {_WORDS[first]}"
            )
            return place.fault(row, detail)
        first = kind
    msg = f"column {place.name!r} is not mixed"
    raise AssertionError(msg)


def _numbers(values: Sequence[Any], place: Place) -> NDArray[np.float64] | None:
    """Return numbers; None where one has digits that would be lost."""
    try:
        # NumPy turns None into NaN; an int beyond the range of a double overflows.
        numbers = np.array(values, dtype=np.float64)
    except OverflowError:
        numbers = np.array([_as_double(v) for v in values], dtype=np.float64)
    for row in np.flatnonzero(~np.isfinite(numbers)).tolist():
        if values[row] is not None:
            detail = "the number is not finite; null stands for a missing value"
            raise unusable([place.fault(row, detail)])
    large = np.flatnonzero(np.abs(numbers) >= EXACT).tolist()
    return None if any(isinstance(values[row], int) for row in large) else numbers


def _as_double(value: int | float | None) -> float | None:
    try:
        return None if value is None else float(value)
    except OverflowError:
        return float("inf")
