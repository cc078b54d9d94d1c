"""What a whole column allows it to be; gathered batch by batch, a few lines a column.

numeric      every cell is a number or missing, written in one notation (``notations``),
             none a code with leading zeros and none a whole number that a float64
             cannot hold (identifiers keep their digits as text)
boolean      every cell is true, false or missing
categorical  anything else

A declared type is taken as it is: its contradictions are faults of the second pass.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from app.datasets.reading.amounts import leading_zeros
from app.datasets.reading.cells import (
    Marks,
    amounts_of,
    booleans,
    categories,
    first,
    plain_numbers,
)
from app.datasets.reading.options import ColumnType
from app.features.columns import EXACT
from app.features.notation import Decimal, Notation

__all__ = ["DECIMALS", "ColumnFacts", "LineOf"]

DECIMALS: tuple[Decimal, Decimal] = (".", ",")
LineOf = Callable[[int], int | None]
"""Gives the line of a row of a batch."""

_MANY, _MOST = 10, 9  # numbers, and numbers for each other cell, that are told
_WHOLE = r"^\s*[-+]?[0-9]+\s*$"


@dataclass(slots=True)
class Read:
    """What a column is when it is read with one decimal mark."""

    fits: bool = True
    """Whether every cell is a number then."""
    numbers: int = 0
    """How many cells were, up to the first batch with one that is none."""
    grouped: int | None = None
    """The line of the first number in groups by the other mark."""
    odd: int | None = None
    """The line of the first cell that is none among many that are numbers."""


@dataclass(slots=True)
class ColumnFacts:
    """What is known of one column, places as the lines where it shows first."""

    declared: ColumnType | None = None
    typed: bool = True
    """Whether the type of the cells allows numbers, where a file has types."""
    boolean: bool = True
    reads: dict[Decimal, Read] = field(
        default_factory=lambda: {mark: Read() for mark in DECIMALS}
    )
    marks: dict[str, int | None] = field(default_factory=dict)
    """The points and commas that stand in numbers."""
    units: dict[str, int | None] = field(default_factory=dict)
    """The percent signs and currencies, and "" for numbers without any."""
    spaced: int | None = None
    """The first number in groups set apart by spaces or apostrophes."""
    zeros: int | None = None
    """The first digits that begin with a zero."""
    large: int | None = None
    """The first whole number that a float64 may not hold."""
    filled: bool = False
    notation: Notation | None = None
    """How its numbers are written, where it has nothing but numbers; set at the end."""

    @property
    def kind(self) -> ColumnType:
        """The type; of several that fit (nothing but missing cells) the number."""
        if self.declared is not None:
            return self.declared
        if self.typed and self.notation is not None:
            return "numeric"
        return "boolean" if self.boolean else "categorical"

    @property
    def numeric(self) -> bool:
        """Whether the column can still be numbers."""
        return self.typed and any(read.fits for read in self.reads.values())

    @property
    def open(self) -> bool:
        """Whether further cells can tell more."""
        if self.declared is not None:
            return self.declared == "numeric" and self.numeric
        return self.numeric or self.boolean

    def see_text(self, cells: pa.Array, missing: Marks, line_of: LineOf) -> None:
        """Take cells as they are written in a text file."""
        if self.boolean and self.declared is None:
            self.boolean = booleans(cells, missing)[1] is None
        if not self.numeric:
            return
        values = plain_numbers(cells, missing)
        if values is not None:
            if values.null_count == len(values):
                return
            self.filled = True
            self._codes(cells, values, line_of)
            pointed = pc.and_(pc.match_substring(cells, "."), pc.is_valid(values))
            if not (self.reads[","].fits and _any(pointed)):
                self.reads["."].numbers += len(values) - values.null_count
                if self.reads[","].fits:
                    self.reads[","].numbers += len(values) - values.null_count
                self._unit(pc.is_valid(values), "", line_of)
                return
        self._see_amounts(cells, missing, line_of)

    def _see_amounts(self, cells: pa.Array, missing: Marks, line_of: LineOf) -> None:
        amounts = amounts_of(cells, missing)
        either = pa.array([False] * len(cells))
        self.filled = self.filled or amounts.texts.null_count < len(cells)
        for decimal, read in self.reads.items():
            groups = amounts.grouped(decimal)
            fine = pc.fill_null(pc.or_(amounts.plain(decimal), groups), False)
            either = pc.or_(either, fine)
            if not read.fits:
                continue
            if read.grouped is None and _any(groups):
                read.grouped = line_of(first(groups))
            wrong = pc.and_(pc.invert(fine), pc.is_valid(amounts.texts))
            others = pc.sum(wrong, min_count=0).as_py()
            read.numbers += pc.sum(fine, min_count=0).as_py()
            if others:
                read.fits = False
                if read.numbers >= max(_MANY, _MOST * others):
                    read.odd = line_of(first(wrong))
                continue
            values = pc.cast(amounts.castable(decimal, fine), pa.float64())
            self._codes(amounts.texts, values, line_of)
        for mark in DECIMALS:
            with_mark = pc.and_(pc.match_substring(amounts.texts, mark), either)
            if mark not in self.marks and _any(with_mark):
                self.marks[mark] = line_of(first(with_mark))
        spaced = pc.and_(amounts.spaced, either)
        if self.spaced is None and _any(spaced):
            self.spaced = line_of(first(spaced))
        units = pc.if_else(either, pc.fill_null(amounts.units, ""), None)
        for unit in pc.unique(units.drop_null()).to_pylist():
            self._unit(pc.equal(units, unit), unit, line_of)

    def _unit(self, where: pa.BooleanArray, unit: str, line_of: LineOf) -> None:
        if unit not in self.units:
            self.units[unit] = line_of(first(where))

    def _codes(self, cells: pa.Array, values: pa.DoubleArray, line_of: LineOf) -> None:
        """Note digits that are no quantities, or lose some of theirs as a float64."""
        if self.zeros is None:
            zeros = pc.and_(leading_zeros(cells), pc.is_valid(values))
            if _any(zeros):
                self.zeros = line_of(first(zeros))
        bounds = pc.min_max(values).as_py()
        if self.large is not None or all(
            bound is None or abs(bound) < EXACT for bound in bounds.values()
        ):
            return
        large = pc.greater_equal(pc.abs(values), EXACT)
        large = pc.and_(large, pc.match_substring_regex(cells, _WHOLE))
        if _any(large):
            self.large = line_of(first(large))

    def see_typed(self, values: pa.Array, missing: Marks) -> None:
        """Take cells whose type the file says; what holds no value is of any type."""
        kind = values.type
        if pa.types.is_string(kind):
            values = categories(values, missing)
        if values.null_count == len(values):
            return
        self.boolean = self.boolean and pa.types.is_boolean(kind)
        if pa.types.is_integer(kind):
            bounds = pc.min_max(values).as_py()
            self.typed = self.typed and not any(
                bound is not None and abs(bound) >= EXACT for bound in bounds.values()
            )
        elif not (pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
            self.typed = False


def _any(mask: pa.BooleanArray) -> bool:
    return bool(pc.any(mask, min_count=0).as_py())
