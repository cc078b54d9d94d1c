"""The rows of an inline table: checked as they are read, kept by column.

A cell's place survives as its row (counted from 0, as in the pointer) and its
column's name. A column holds one type: numbers, strings or booleans; null anywhere.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError, InvalidRequestError
from app.errors.faults import at, refuse
from app.features.table import Table
from app.features.values import Value

__all__ = ["Cell", "Texts", "by_column", "checked", "decoded"]

Cell = bool | int | float | str | None
Texts = Mapping[str, Collection[type]]
"""Columns in which values of these types are categories."""

_BLOCK = 1024
_ROW = msgspec.json.Decoder(list[Cell])
_CELL_WANTED = "a cell is a number, a string, a boolean or null"
_TYPES = {bool, int, float, str, type(None)}


def decoded(names: list[str], rows: Iterable[msgspec.Raw]) -> Iterator[list[Cell]]:
    """Decode rows one by one; a fault names its row and cell."""
    for i, raw in enumerate(rows):
        try:
            yield _ROW.decode(raw)
        except msgspec.ValidationError as error:
            # The path in the message names the cell, where it is a cell's fault.
            place = re.search(r"`\$\[(\d+)\]`$", str(error))
            if place is None:
                raise _bad_row(i) from None
            raise _bad_cell(names, i, int(place[1])) from None


def checked(names: list[str], rows: Iterable[Any]) -> Iterator[list[Cell]]:
    """Pass on rows that are decoded already, by the same rules."""
    for i, row in enumerate(rows):
        if not isinstance(row, list):
            raise _bad_row(i)
        if not _TYPES.issuperset(map(type, row)):
            odd = next(j for j, cell in enumerate(row) if type(cell) not in _TYPES)
            raise _bad_cell(names, i, odd)
        yield row


def by_column(
    names: list[str],
    rows: Iterator[list[Cell]],
    marks: Sequence[Value] | None = None,
    texts: Texts = MappingProxyType({}),
) -> Table:
    """Turn rows into columns; every row must be as wide as there are names.

    ``marks`` and ``texts`` as in ``Table.from_columns``.
    """
    _require_unique(names)
    columns: list[list[Cell]] = [[] for _ in names]
    done = 0
    while block := list(islice(rows, _BLOCK)):
        wrong = [i for i, row in enumerate(block) if len(row) != len(names)]
        if wrong:
            raise refuse(
                FieldError(
                    at("data", "rows", done + i),
                    f"the row has {len(block[i])} cells for {len(names)} columns",
                    done + i,
                )
                for i in wrong
            )
        for column, cells in zip(columns, zip(*block, strict=True), strict=True):
            column.extend(cells)
        done += len(block)
    if not done:
        raise refuse([FieldError(at("data", "rows"), "there are no rows")])
    named = {n: _objects(cells) for n, cells in zip(names, columns, strict=True)}
    return Table.from_columns(named, marks=marks, texts=texts)


def _objects(cells: list[Cell]) -> NDArray[np.object_]:
    # NumPy left to itself would turn numbers beside strings into strings.
    column = np.empty(len(cells), dtype=np.object_)
    column[:] = cells
    return column


def _require_unique(names: list[str]) -> None:
    seen: set[str] = set()
    for j, name in enumerate(names):
        if name in seen:
            place = at("data", "columns", j)
            raise refuse([FieldError(place, "the column name is given twice")])
        seen.add(name)


def _bad_row(row: int) -> InvalidRequestError:
    return refuse([FieldError(at("data", "rows", row), "a row is an array", row)])


def _bad_cell(names: list[str], row: int, position: int) -> InvalidRequestError:
    column = names[position] if position < len(names) else None
    place = at("data", "rows", row, position)
    return refuse([FieldError(place, _CELL_WANTED, row, column)])
