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
from the rows above it. Texts are kept as they are compared (``app.features.values``);
a blank one is a missing value.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.errors import FieldError
from app.errors.faults import unusable
from app.features.columns import (
    ColumnType,
    Place,
    spelled,
    typed,
    typed_array,
    unmarked,
)
from app.features.notation import Notation
from app.features.values import MISSING, Value, category

__all__ = ["ColumnType", "Table", "name_problem"]

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
    marks : tuple of str
        The texts that mean "no value" where such rows come from.
    notations : mapping of str to Notation
        How numbers were written in columns where no program would write them so.
    """

    columns: dict[str, NDArray[Any]]
    types: dict[str, ColumnType]
    marks: tuple[str, ...] = MISSING
    notations: Mapping[str, Notation] = field(default_factory=dict)

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
            place = Place(name, f"{pointer}/rows", j)
            columns[name], types[name] = typed(by_column[j], place)
        return cls(columns, types)

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, ArrayLike],
        *,
        marks: Sequence[Value] | None = None,
        texts: Mapping[str, Collection[type]] = MappingProxyType({}),
    ) -> Self:
        """Read whole columns; NaN and None are missing.

        Parameters
        ----------
        columns : mapping of str to array-like
        marks : sequence of values, optional
            Those that mean "no value" beside the blank text. Where none are named, a
            text is one, and the usual marks are learnt for rows to come.
        texts : mapping of str to collection of types
            Columns where values of these types are categories.

        Raises
        ------
        InvalidRequestError
            As for `from_rows`; infinities are refused.
        """
        _check_names(list(columns), "/data")
        lengths = {name: len(np.asarray(v, object)) for name, v in columns.items()}
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"{name}: {count}" for name, count in lengths.items())
            detail = f"columns have equal lengths, these have {counts}"
            raise unusable([FieldError("/data", detail)])
        mark_texts = tuple(map(category, marks or ()))
        arrays: dict[str, NDArray[Any]] = {}
        types: dict[str, ColumnType] = {}
        for j, (name, values) in enumerate(columns.items()):
            place = Place(name, "/data/rows", j)
            cells = np.asarray(values)
            if marks is not None:
                cells = unmarked(cells, mark_texts)
            if name in texts:
                cells = spelled(cells.tolist(), texts[name])
            arrays[name], types[name] = typed_array(cells, place)
        return cls(arrays, types, MISSING if marks is None else mark_texts)

    def marked(self, marks: Sequence[Value]) -> Self:
        """Return the table with further values missing: those that equal a mark.

        Parameters
        ----------
        marks : sequence of values
            Compared as categories are, so -999 and -999.0 are one; learnt beside the
            marks that are known already.
        """
        texts = list(map(category, marks))
        columns = {
            name: unmarked(values, texts) for name, values in self.columns.items()
        }
        return replace(self, columns=columns, marks=(*self.marks, *texts))

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
        return replace(self, columns=columns)

    def without(self, names: Iterable[str]) -> Self:
        """Return the table without these columns."""
        dropped = set(names)
        kept = [name for name in self.columns if name not in dropped]
        return replace(
            self,
            columns={name: self.columns[name] for name in kept},
            types={name: self.types[name] for name in kept},
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


def _number(value: float) -> float | int | None:
    if not isfinite(value):
        return None
    return int(value) if value.is_integer() else value
