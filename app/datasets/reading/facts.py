"""What a whole column allows it to be; gathered batch by batch, a few bits a column.

numeric      every cell is a number or missing, and none a whole number that a float64
             cannot hold (identifiers keep their digits as text)
boolean      every cell is true, false or missing
categorical  anything else

A declared type is taken as it is: its contradictions are faults of the second pass.
"""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from app.datasets.reading.cells import Marks, booleans, first, numbers
from app.datasets.reading.options import ColumnType, ReadOptions

__all__ = ["ColumnFacts"]

_EXACT = 2.0**53
_MANY, _MOST = 10, 9  # numbers, and numbers for each other cell, that are told
_WHOLE = r"^[\t\n\v\f\r ]*[-+]?[0-9]+[\t\n\v\f\r ]*$"


@dataclass(slots=True)
class ColumnFacts:
    """The types that are still open for one column."""

    declared: ColumnType | None = None
    numeric: bool = True
    boolean: bool = True
    comma: bool = True
    """Whether every cell is a number when it is read with a decimal comma."""
    filled: bool = False
    numbers: int = 0
    """How many cells were numbers, as long as all were."""
    odd: int | None = None
    """Where, in the batch that was seen last, the first cell among many numbers is
    none."""
    odd_line: int | None = None
    """The line of it, which the reader of the batch knows."""

    @property
    def kind(self) -> ColumnType:
        """The type; of several that fit (nothing but missing cells) the number."""
        if self.declared is not None:
            return self.declared
        if self.numeric:
            return "numeric"
        return "boolean" if self.boolean else "categorical"

    @property
    def decimal_comma(self) -> bool:
        """Whether the column would be numeric if only its decimals were read right."""
        return self.comma and self.filled and self.kind == "categorical"

    @property
    def open(self) -> bool:
        """Whether further cells can change the type."""
        return self.declared is None and (self.numeric or self.boolean or self.comma)

    def see_text(self, cells: pa.Array, missing: Marks, options: ReadOptions) -> None:
        """Take cells as they are written in a text file."""
        if self.numeric:
            values, wrong = numbers(cells, missing, options.decimal)
            self.numeric = wrong is None and not _inexact(cells, values)
            self._count(values, wrong)
            if values.null_count < len(values):
                self.filled, self.boolean = True, self.boolean and wrong is not None
        if not self.numeric and self.boolean:
            self.boolean = booleans(cells, missing)[1] is None
        if self.comma:
            self.comma = options.decimal == "." and self._fits_comma(cells, missing)

    def _count(self, values: pa.DoubleArray, wrong: pa.BooleanArray | None) -> None:
        """Note the first cell that keeps a column of numbers from being one."""
        self.numbers += len(values) - values.null_count
        if wrong is None:
            return
        others = pc.sum(wrong).as_py()
        if self.numbers >= max(_MANY, _MOST * others):
            self.odd = first(wrong)

    def _fits_comma(self, cells: pa.Array, missing: Marks) -> bool:
        """Tell whether these cells are numbers when read with a decimal comma."""
        if self.numeric:  # what is one now stays one, but for the points in it
            return not pc.any(pc.match_substring(cells, "."), min_count=0).as_py()
        values, wrong = numbers(cells, missing, ",")
        self.filled = self.filled or values.null_count < len(values)
        return wrong is None and not _inexact(cells, values)

    def see_typed(self, values: pa.Array) -> None:
        """Take cells whose type the file says: only whole numbers leave a doubt."""
        self.comma = False
        kind = values.type
        self.boolean = self.boolean and (pa.types.is_boolean(kind))
        if pa.types.is_integer(kind):
            bounds = pc.min_max(values).as_py()
            self.numeric = self.numeric and not any(
                bound is not None and abs(bound) > _EXACT for bound in bounds.values()
            )
        elif not (
            pa.types.is_floating(kind)
            or pa.types.is_decimal(kind)
            or pa.types.is_null(kind)
        ):
            self.numeric = False


def _inexact(cells: pa.Array, values: pa.DoubleArray) -> bool:
    """Tell whether a whole number is larger than those that a float64 holds exactly."""
    bounds = pc.min_max(values).as_py()
    if all(bound is None or abs(bound) < _EXACT for bound in bounds.values()):
        return False
    large = pc.greater_equal(pc.abs(values), _EXACT)
    return bool(pc.any(pc.and_(large, pc.match_substring_regex(cells, _WHOLE))).as_py())
