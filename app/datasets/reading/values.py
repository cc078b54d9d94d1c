"""One column of one batch as values of its type, or the fault of its first bad cell.

text cell   understood by the rules of ``cells``
typed cell  cast: NaN is missing, a whole number is no truth value but 0 and 1; as a
            category a number is its digits

The categories of a model are left as they came: its encoder knows which they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from app.datasets.reading.cells import (
    Marks,
    booleans,
    categories,
    first,
    no_nan,
    numbers,
    spelled,
)
from app.datasets.reading.faults import fault
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ColumnType, ReadOptions
from app.datasets.reading.sources import Batch
from app.features.notation import PLAIN, Notation

__all__ = ["STORED", "Reading"]

STORED: dict[ColumnType, pa.DataType] = {
    "numeric": pa.float64(),
    "boolean": pa.bool_(),
    "categorical": pa.string(),
}
_WANTED: dict[ColumnType, str] = {
    "numeric": "not a number; correct the cell, name the mark of a missing value, or"
    " declare the column categorical",
    "boolean": "neither true nor false; write true or false, name the mark of a missing"
    " value, or declare another type",
    "categorical": "not text",
}
_OF_A_MODEL: dict[ColumnType, str] = {
    "numeric": "not a number, as the model needs, or none written as the others"
    " are: thousands, decimals, percent and currency as in its training or in the first"
    " rows; correct the cell, or name the decimal mark or that of a missing value",
    "boolean": "neither true nor false, as the model needs; write true or false, or"
    " name the mark of a missing value",
    "categorical": "not text",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """How the cells of a file become values."""

    options: ReadOptions
    limits: Limits
    text: bool
    """Whether cells are text that is still to be understood."""
    of_model: bool = False
    """Whether the types are those of a model: the caller cannot choose others."""
    learnt: tuple[str, ...] | None = None
    """The marks for a missing value that this model knows."""
    notations: Mapping[str, Notation] = field(default_factory=dict)
    """How numbers are written, by column; plainly in those that are not named."""
    marks: Marks = field(init=False)
    """The values that mean a missing value."""

    def __post_init__(self) -> None:
        texts = self.options.missing
        if texts is None:
            texts = self.options.marks if self.text else ()
            texts = texts if self.learnt is None else self.learnt
        object.__setattr__(self, "marks", Marks(texts))

    def column(
        self,
        batch: Batch,
        j: int,
        name: str,
        kind: ColumnType,
        *,
        position: int | None = None,
    ) -> pa.Array:
        """Return column ``j`` of a batch as it is stored.

        Parameters
        ----------
        batch : Batch
        j : int
        name, kind : str
        position : int, optional
            Where the column stands in the file; ``j`` when left out.

        Raises
        ------
        InvalidRequestError
            With line, row and column of the first cell that is not of the type, of an
            infinite number, of a text that is too long.
        """
        cells = batch.columns[j]
        values, wrong = (
            self._understood(cells, kind, name)
            if pa.types.is_string(cells.type)
            else self._cast(cells, kind, name)
        )
        wanted = _OF_A_MODEL if self.of_model else _WANTED
        found = self._excess(values, kind) if wrong is None else (wanted[kind], wrong)
        if found is not None:
            detail, mask = found
            index = first(mask)
            raise fault(
                detail,
                line=batch.line_of(index),
                row=batch.first_row + index,
                position=j if position is None else position,
                name=name,
            )
        return values

    def _understood(
        self, cells: pa.Array, kind: ColumnType, name: str
    ) -> tuple[pa.Array, pa.Array | None]:
        if kind == "numeric":
            return numbers(cells, self.marks, self.notations.get(name, PLAIN))
        if kind == "boolean":
            return booleans(cells, self.marks)
        return (cells if self._raw else categories(cells, self.marks)), None

    @property
    def _raw(self) -> bool:
        """Whether categories are left to a model's encoder, its marks among them."""
        return self.learnt is not None and self.options.missing is None

    def _cast(
        self, values: pa.Array, kind: ColumnType, name: str
    ) -> tuple[pa.Array, pa.Array | None]:
        if kind == "numeric":
            numbers = no_nan(pc.cast(values, pa.float64(), safe=False))
            return self.marks.among(numbers), None
        if kind == "categorical":
            return self._understood(spelled(values), kind, name)
        if pa.types.is_boolean(values.type) or pa.types.is_null(values.type):
            return pc.cast(values, pa.bool_()), None
        digits = pc.cast(values, pa.float64(), safe=False)
        wrong = pc.fill_null(pc.invert(pc.is_in(digits, pa.array([0.0, 1.0]))), False)
        wrong = pc.and_(wrong, pc.is_valid(digits))
        if pc.any(wrong).as_py():
            return values, wrong
        return pc.cast(digits, pa.bool_()), None

    def _excess(
        self, values: pa.Array, kind: ColumnType
    ) -> tuple[str, pa.Array] | None:
        """Return what no stored column may hold, and where it stands."""
        if kind == "numeric":
            infinite = pc.is_inf(values)
            if pc.any(infinite).as_py():
                return "the number is infinite, or too large for a float64", infinite
        elif kind == "categorical":
            most = self.limits.cell_length
            long = pc.greater(pc.binary_length(values), most)
            if pc.any(long).as_py():
                return f"the text is longer than {most} bytes", long
        return None
