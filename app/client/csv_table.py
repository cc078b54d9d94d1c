"""CSV files as tables: numbers, booleans, strings, and what is missing.

The first row names the columns. An empty cell, ``?`` and ``NA`` are missing. A column
of numbers is numeric, one of ``true`` and ``false`` boolean, anything else strings; a
column where a number has leading zeros (``007``) is an identifier, so strings. Where
the types are known (from a trained model), cells are read by them.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Literal

__all__ = ["Cell", "CsvTable", "TableError", "as_label", "read_csv"]

Cell = float | int | bool | str | None
Kind = Literal["numeric", "boolean", "categorical"]

_MISSING = {"", "?", "NA"}
_BOOLEANS = {"true": True, "false": False}
_LEADING_ZERO = re.compile(r"^[+-]?0\d")
_WORDS = {"numeric": "a number", "boolean": "true or false"}


class TableError(Exception):
    """A file that cannot be read as a table; the text names line and column."""


@dataclass(frozen=True, slots=True)
class CsvTable:
    """The cells of a file, as text.

    Parameters
    ----------
    path : Path
    columns : list of str
    rows : list of list of str
    lines : list of int
        The line of the file on which each row ends.
    """

    path: Path
    columns: list[str]
    rows: list[list[str]]
    lines: list[int]

    def kinds(self) -> dict[str, Kind]:
        """Return the type of each column, read off its cells."""
        return {
            name: _kind(row[j] for row in self.rows)
            for j, name in enumerate(self.columns)
        }

    def typed(self, kinds: Mapping[str, str]) -> list[list[Cell]]:
        """Return the rows with each cell read as its column's type.

        Columns that ``kinds`` does not name stay text.

        Raises
        ------
        TableError
            When a cell is not of its column's type.
        """
        wanted = [kinds.get(name, "categorical") for name in self.columns]
        return [
            [
                self._cell(text, kind, i, j)
                for j, (text, kind) in enumerate(zip(row, wanted, strict=True))
            ]
            for i, row in enumerate(self.rows)
        ]

    def _cell(self, text: str, kind: str, row: int, column: int) -> Cell:
        try:
            return _read(text, kind)
        except ValueError:
            msg = (
                f"{self.path}: line {self.lines[row]}, column"
                f" {self.columns[column]!r}: {_WORDS[kind]} is needed here"
            )
            raise TableError(msg) from None


def read_csv(path: Path) -> CsvTable:
    """Read a file whose first row names its columns.

    Raises
    ------
    TableError
        When it cannot be opened, is no UTF-8 text, has no rows, names a column twice,
        or has a row of another width.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            columns = next(reader, [])
            _check_header(path, columns)
            rows, lines = [], []
            for row in reader:
                if not row:
                    continue  # a blank line
                if len(row) != len(columns):
                    msg = (
                        f"{path}: line {reader.line_num} has {len(row)} cells, the"
                        f" header {len(columns)}"
                    )
                    raise TableError(msg)
                rows.append(row)
                lines.append(reader.line_num)
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise TableError(msg) from error
    except (UnicodeDecodeError, csv.Error) as error:
        msg = f"{path} is no CSV file in UTF-8: {error.__class__.__name__}"
        raise TableError(msg) from error
    if not rows:
        msg = f"{path} has no rows below its header"
        raise TableError(msg)
    return CsvTable(path, columns, rows, lines)


def as_label(text: str, kind: str) -> Cell:
    """Return a label from the command line as its column's cells are read.

    Raises
    ------
    TableError
        When the column's type has no such value.
    """
    try:
        return _read(text, kind)
    except ValueError:
        msg = f"the target column holds {_WORDS[kind]} in every row, not {text!r}"
        raise TableError(msg) from None


def _check_header(path: Path, columns: Sequence[str]) -> None:
    for j, name in enumerate(columns):
        if not name:
            msg = f"{path}: column {j + 1} has no name in the first line"
            raise TableError(msg)
        if name in columns[:j]:
            msg = f"{path}: two columns are named {name!r}"
            raise TableError(msg)


def _kind(cells: Iterable[str]) -> Kind:
    known = {text for cell in cells if (text := cell.strip()) not in _MISSING}
    if not known:
        return "numeric"
    if all(text.lower() in _BOOLEANS for text in known):
        return "boolean"
    if all(_is_number(text) for text in known):
        return "numeric"
    return "categorical"


def _is_number(text: str) -> bool:
    if _LEADING_ZERO.match(text) or "_" in text:
        return False
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _read(text: str, kind: str) -> Cell:
    stripped = text.strip()
    if stripped in _MISSING:
        return None
    if kind == "categorical":
        return stripped
    if kind == "boolean":
        if stripped.lower() not in _BOOLEANS:
            raise ValueError
        return _BOOLEANS[stripped.lower()]
    number = float(stripped)
    if not isfinite(number):
        raise ValueError
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
