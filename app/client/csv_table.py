"""CSV files as tables: numbers, booleans, strings, and what is missing.

A file is read by the rules of the service's own uploads (delimiter, marks of a missing
value, types, faults by line and column), so a command understands it as POST /datasets
and POST /predict/batch do. One thing is added: a column of numbers where one has
leading zeros (``007``) holds identifiers, so strings. Where the types are known (from
a trained model), cells are read by them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from app.datasets.reading.csv_source import CsvSource
from app.datasets.reading.facts import ColumnFacts
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ColumnType, ReadOptions
from app.datasets.reading.sources import Batch
from app.datasets.reading.values import Reading
from app.errors import InvalidRequestError

__all__ = ["Cell", "CsvTable", "TableError", "read_csv"]

Cell = float | int | bool | str | None

_LEADING_ZERO = r"^\s*[-+]?0[0-9]"
_AS_LISTED = ReadOptions()


class TableError(Exception):
    """A file that cannot be read as a table; the text names line and column."""


@dataclass(frozen=True, slots=True, eq=False)
class CsvTable:
    """The cells of a file, as text.

    Parameters
    ----------
    path : Path
    columns : list of str
    batches : list of Batch
        The rows, some at a time, each column as text.
    options : ReadOptions
        How the text becomes values.
    """

    path: Path
    columns: list[str]
    batches: list[Batch]
    options: ReadOptions

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield each row as it was written, without its quotes."""
        for batch in self.batches:
            yield from zip(*(cells.to_pylist() for cells in batch.columns), strict=True)

    def line(self, row: int) -> int | None:
        """Return the line of the file on which a row begins; None beyond the last."""
        for batch in reversed(self.batches):
            if batch.first_row <= row < batch.first_row + len(batch.columns[0]):
                return batch.line_of(row - batch.first_row)
        return None

    def kinds(self) -> dict[str, ColumnType]:
        """Return the type of each column, read off its cells."""
        return {name: self._kind(j) for j, name in enumerate(self.columns)}

    def codes(self) -> list[str]:
        """Return the columns of numbers that are read as text: one begins with 0."""
        return [
            name
            for j, name in enumerate(self.columns)
            if self._has_leading_zeros(j) and self._found(j) == "numeric"
        ]

    def _kind(self, j: int) -> ColumnType:
        kind = self._found(j)
        coded = kind == "numeric" and self._has_leading_zeros(j)
        return "categorical" if coded else kind

    def _found(self, j: int) -> ColumnType:
        """Return the type of a column as an upload finds it."""
        facts, marks = ColumnFacts(), self._reading().marks
        for batch in self.batches:
            facts.see_text(batch.columns[j], marks, self.options)
        return facts.kind

    def _has_leading_zeros(self, j: int) -> bool:
        """Tell whether a cell of a column begins as ``007`` does."""
        found = (
            pc.any(pc.match_substring_regex(batch.columns[j], _LEADING_ZERO)).as_py()
            for batch in self.batches
        )
        return any(found)

    def typed(self, kinds: Mapping[str, ColumnType]) -> list[list[Cell]]:
        """Return the rows with each cell read as its column's type.

        Parameters
        ----------
        kinds : mapping of str to str
            Columns that it does not name are left out.

        Raises
        ------
        TableError
            When a cell is not of its column's type.
        """
        reading = self._reading()
        rows: list[list[Cell]] = []
        with _told(self.path):
            for batch in self.batches:
                columns = [
                    _cells(reading.column(batch, j, name, kinds[name]))
                    for j, name in enumerate(self.columns)
                    if name in kinds
                ]
                rows += map(list, zip(*columns, strict=True))
        return rows

    def label(self, text: str, kind: ColumnType) -> Cell:
        """Return a label from the command line as a column's cells are read.

        Raises
        ------
        TableError
            When the column's type has no such value.
        """
        try:
            batch = Batch([pa.array([text])], 0)
            return _cells(self._reading().column(batch, 0, "", kind))[0]
        except InvalidRequestError:
            word = "a number" if kind == "numeric" else "true or false"
            msg = f"the target column holds {word} in every row, not {text!r}"
            raise TableError(msg) from None

    def _reading(self) -> Reading:
        return Reading(self.options, Limits(), text=True, of_model=True)


def read_csv(path: Path, options: ReadOptions = _AS_LISTED) -> CsvTable:
    """Read a file whose first row names its columns.

    Raises
    ------
    TableError
        When it cannot be opened, is no text of its encoding, has no rows, names a
        column twice, or has a row of another width.
    """
    with _told(path):
        source = CsvSource(path, options, Limits(), kept=False)
        batches = [batch for batch in source.batches() if len(batch.columns[0])]
    if not batches:
        msg = f"{path} has no rows below its header"
        raise TableError(msg)
    return CsvTable(path, list(source.names), batches, options)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise TableError(msg) from error
    except InvalidRequestError as error:
        msg = f"{path}: {error.detail}"
        raise TableError(msg) from None


def _cells(values: pa.Array) -> Sequence[Cell]:
    cells: list[Cell] = values.to_pylist()
    if pa.types.is_floating(values.type):
        return [_number(cell) for cell in cells]
    return cells


def _number(cell: Cell) -> Cell:
    """Return a whole number as one: labels are told apart by how they are written."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell
