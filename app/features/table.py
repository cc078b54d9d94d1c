"""A table in memory: named columns, each of one type, with missing values.

=============  =============================  ==========
type           array                          missing
=============  =============================  ==========
numeric        float64                        NaN
boolean        object, ``True`` or ``False``  ``None``
categorical    object, ``str``                ``None``
=============  =============================  ==========

The type of a column is read off its values: JSON says which are numbers, booleans
and strings. A column that mixes them is refused, naming the first row that differs
from the rows above it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.errors import FieldError
from app.features.faults import unusable

__all__ = ["ColumnType", "Table", "name_problem"]

ColumnType = Literal["numeric", "boolean", "categorical"]

_TYPES: dict[type, ColumnType] = {
    int: "numeric",
    float: "numeric",
    bool: "boolean",
    str: "categorical",
}
_WORDS = {"numeric": "a number", "boolean": "a boolean", "categorical": "a string"}
_MAX_NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length by name, in order.

    Parameters
    ----------
    columns : dict of str to ndarray of shape (n_rows,)
        See the table at the top of this module.
    types : dict of str to {"numeric", "boolean", "categorical"}
        One entry a column. A column without any value is numeric.
    """

    columns: dict[str, NDArray[Any]]
    types: dict[str, ColumnType]

    @classmethod
    def from_rows(
        cls,
        names: Sequence[str],
        rows: Sequence[Sequence[object]],
        *,
        pointer: str = "/data",
    ) -> Self:
        """Read rows as JSON gives them.

        Parameters
        ----------
        names : sequence of str
            Column names, distinct.
        rows : sequence of sequences
            Each as wide as ``names``; numbers, booleans, strings and None.
        pointer : str
            Where the object with ``columns`` and ``rows`` lies in the request.

        Raises
        ------
        InvalidRequestError
            For a bad or repeated name, a row of another width, a value that is no
            scalar, a number that is not finite, or a column of mixed types.
        """
        _check_names(names, pointer)
        width = len(names)
        uneven = [i for i, row in enumerate(rows) if len(row) != width]
        if uneven:
            raise unusable(
                FieldError(
                    f"{pointer}/rows/{i}",
                    f"the row has {len(rows[i])} values for {width} columns",
                    row=i,
                )
                for i in uneven
            )
        by_column = list(zip(*rows, strict=True)) if rows else [()] * width
        columns: dict[str, NDArray[Any]] = {}
        types: dict[str, ColumnType] = {}
        for j, name in enumerate(names):
            place = _Place(name, f"{pointer}/rows", j)
            columns[name], types[name] = _typed(by_column[j], place)
        return cls(columns, types)

    @classmethod
    def from_columns(cls, columns: Mapping[str, ArrayLike]) -> Self:
        """Read whole columns; NaN and None are missing.

        Raises
        ------
        InvalidRequestError
            As for `from_rows`; infinities are refused.
        """
        _check_names(list(columns), "/data")
        lengths = {name: len(np.asarray(v, object)) for name, v in columns.items()}
        if len(set(lengths.values())) > 1:
            said = ", ".join(f"{name}: {count}" for name, count in lengths.items())
            detail = f"columns have equal lengths, these have {said}"
            raise unusable([FieldError("/data", detail)])
        arrays: dict[str, NDArray[Any]] = {}
        types: dict[str, ColumnType] = {}
        for j, (name, values) in enumerate(columns.items()):
            place = _Place(name, "/data/rows", j)
            arrays[name], types[name] = _typed_array(np.asarray(values), place)
        return cls(arrays, types)

    @property
    def names(self) -> list[str]:
        """Return the column names, in order."""
        return list(self.columns)

    @property
    def n_rows(self) -> int:
        """Return the number of rows; a table without columns has none."""
        return next((len(values) for values in self.columns.values()), 0)

    def take(self, rows: ArrayLike) -> Self:
        """Return these rows (indices or a mask); every column keeps its type."""
        chosen = np.asarray(rows)
        columns = {name: values[chosen] for name, values in self.columns.items()}
        return type(self)(columns, dict(self.types))

    def without(self, names: Iterable[str]) -> Self:
        """Return the table without these columns."""
        dropped = set(names)
        kept = [name for name in self.columns if name not in dropped]
        return type(self)(
            {name: self.columns[name] for name in kept},
            {name: self.types[name] for name in kept},
        )

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Return where a column has no value, shape (n_rows,)."""
        values = self.columns[name]
        if self.types[name] == "numeric":
            return np.asarray(np.isnan(values))
        return np.fromiter((v is None for v in values), np.bool_, len(values))

    def values(self, name: str) -> list[float | int | bool | str | None]:
        """Return a column as Python values; whole numbers come back as int."""
        column = self.columns[name].tolist()
        if self.types[name] != "numeric":
            return list(column)
        return [_number(value) for value in column]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a column lies in the request."""

    name: str
    rows: str
    index: int

    def fault(self, row: int, detail: str) -> FieldError:
        pointer = f"{self.rows}/{row}/{self.index}"
        return FieldError(pointer, detail, row=row, column=self.name)


def _check_names(names: Sequence[str], pointer: str) -> None:
    faults = []
    seen: set[str] = set()
    for j, name in enumerate(names):
        problem = name_problem(name)
        if not problem and name in seen:
            problem = "the column name is given twice"
        if problem:
            faults.append(FieldError(f"{pointer}/columns/{j}", problem))
        seen.add(name)
    if faults:
        raise unusable(faults)


def name_problem(name: str) -> str:
    """Say what is wrong with a column name, or nothing."""
    if not name:
        return "a column needs a name"
    if len(name) > _MAX_NAME_LENGTH:
        return f"a column name has at most {_MAX_NAME_LENGTH} characters"
    # The decoders of POST /predict match keys as bytes, without escapes.
    if not name.isprintable() or '"' in name or "\\" in name:
        return (
            "a column name holds printable characters only, no double quote and no"
            " backslash; rename the column"
        )
    return ""


def _typed(values: Sequence[object], place: _Place) -> tuple[NDArray[Any], ColumnType]:
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
    if kind == "numeric":
        return _numbers(values, place), kind
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column, kind


def _typed_array(
    values: NDArray[Any], place: _Place
) -> tuple[NDArray[Any], ColumnType]:
    if values.dtype.kind in "iuf":
        numbers = values.astype(np.float64)
        infinite = np.flatnonzero(np.isinf(numbers))
        if len(infinite):
            detail = "the number is not finite"
            raise unusable([place.fault(int(infinite[0]), detail)])
        return numbers, "numeric"
    listed = values.tolist()
    # A float NaN among objects is how pandas and pyarrow write a missing value.
    return _typed([None if v != v else v for v in listed], place)  # noqa: PLR0124


def _mixed(values: Sequence[object], place: _Place) -> FieldError:
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


def _numbers(values: Sequence[Any], place: _Place) -> NDArray[np.float64]:
    try:
        # NumPy turns None into NaN; an int beyond the range of a double overflows.
        numbers = np.array(values, dtype=np.float64)
    except OverflowError:
        numbers = np.array([_as_double(v) for v in values], dtype=np.float64)
    for row in np.flatnonzero(~np.isfinite(numbers)).tolist():
        if values[row] is not None:
            detail = "the number is not finite; null stands for a missing value"
            raise unusable([place.fault(row, detail)])
    return numbers


def _as_double(value: int | float | None) -> float | None:
    try:
        return None if value is None else float(value)
    except OverflowError:
        return float("inf")


def _number(value: float) -> float | int | None:
    if not isfinite(value):
        return None
    return int(value) if value.is_integer() else value
