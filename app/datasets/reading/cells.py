r"""Cells of text as values: numbers, truth values, categories, or missing.

    number   = [white] [sign] digits [mark digits] [e [sign] digits] [white], or as
               people write amounts (``amounts``)
    boolean  = true | false, in any of three spellings
    category = any other text, without the white space around it

A cell is missing where it is one of the missing marks, as ``app.features.values``
compares them. Every function takes a whole column of a batch and leaves the work to
Arrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite

import pyarrow as pa
import pyarrow.compute as pc

from app.datasets.reading.amounts import Amounts, amounts
from app.features.notation import PLAIN, Notation
from app.features.values import FALSE, TRUE, WHITE, category, marks_of, numbers_of

__all__ = [
    "Marks",
    "amounts_of",
    "booleans",
    "categories",
    "first",
    "no_nan",
    "numbers",
    "plain_numbers",
    "spelled",
]

_TRUE, _FALSE = pa.array(TRUE), pa.array(FALSE)


@dataclass(frozen=True, slots=True)
class Marks:
    """The values that mean "no value"; the blank text always does."""

    texts: Sequence[str]
    array: pa.StringArray = field(init=False)
    numbers: pa.DoubleArray = field(init=False)
    """Those that are numbers, in whatever digits."""
    finite: bool = field(init=False)
    """Whether no text that can be read as a number is an infinite one."""

    def __post_init__(self) -> None:
        values = numbers_of(self.texts)
        spelled = {*marks_of(self.texts), *self.texts, *map(repr, values)}
        object.__setattr__(self, "array", pa.array(sorted(spelled), pa.string()))
        object.__setattr__(self, "numbers", pa.array(values, pa.float64()))
        object.__setattr__(self, "finite", all(map(_finite, spelled)))

    def __call__(self, trimmed: pa.StringArray) -> pa.BooleanArray:
        """Tell which cells are missing."""
        return pc.is_in(trimmed, value_set=self.array)

    def among(self, values: pa.DoubleArray) -> pa.DoubleArray:
        """Return numbers with those that are marks missing."""
        if not len(self.numbers):
            return values
        return pc.if_else(pc.is_in(values, value_set=self.numbers), None, values)


def _finite(text: str) -> bool:
    try:
        return isfinite(float(text)) or text.strip("+-").lower() == "nan"
    except ValueError:
        return True


def trimmed(cells: pa.Array) -> pa.StringArray:
    """Return texts without the white space around them."""
    return pc.utf8_trim(cells, characters=WHITE)


def numbers(
    cells: pa.Array, missing: Marks, notation: Notation = PLAIN
) -> tuple[pa.DoubleArray, pa.BooleanArray | None]:
    """Return a column as numbers, missing as null, and which cells are neither.

    The second part is None where every cell is a number or missing, which is found
    out at the price of one cast where numbers are written as programs write them.
    """
    values = plain_numbers(cells, missing) if notation.decimal == "." else None
    if values is not None:
        return values, None
    amounts = amounts_of(cells, missing)
    fine = amounts.plain(notation.decimal)
    if notation.grouped:
        fine = pc.or_(fine, amounts.grouped(notation.decimal))
    alike = pc.fill_null(pc.equal(amounts.units, notation.unit), True)
    fine = pc.and_(fine, alike)
    values = _cast(amounts.castable(notation.decimal, fine))
    wrong = pc.fill_null(pc.invert(fine), False)
    found_wrong = pc.any(wrong, min_count=0).as_py()
    return missing.among(values), wrong if found_wrong else None


def plain_numbers(cells: pa.Array, missing: Marks) -> pa.DoubleArray | None:
    """Return numbers as programs write them; None where a cell is written otherwise."""
    values = _cast(cells) if missing.finite else None
    if values is None:
        values = _cast(categories(cells, missing))
    return None if values is None else missing.among(values)


def amounts_of(cells: pa.Array, missing: Marks) -> Amounts:
    """Return a column as amounts, missing as null."""
    return amounts(categories(cells, missing))


def _cast(cells: pa.Array) -> pa.DoubleArray | None:
    """Return the numbers, or None where a cell is none (the message would quote it)."""
    try:
        return no_nan(pc.cast(cells, pa.float64()))
    except pa.ArrowInvalid:
        return None


def no_nan(values: pa.DoubleArray) -> pa.DoubleArray:
    """Return a column of numbers with NaN as missing."""
    nan = pc.is_nan(values)
    return pc.if_else(nan, None, values) if pc.any(nan).as_py() else values


def booleans(
    cells: pa.Array, missing: Marks
) -> tuple[pa.BooleanArray, pa.BooleanArray | None]:
    """Return a column as truth values, and which cells are neither nor missing."""
    texts = trimmed(cells)
    true = pc.is_in(texts, value_set=_TRUE)
    known = pc.or_(true, pc.is_in(texts, value_set=_FALSE))
    neither = pc.invert(pc.or_(known, missing(texts)))
    values = pc.if_else(known, true, None)
    return values, neither if pc.any(neither).as_py() else None


def categories(cells: pa.Array, missing: Marks) -> pa.StringArray:
    """Return a column as text without the white space around it, missing as null."""
    texts = trimmed(cells)
    return pc.if_else(missing(texts), None, texts)


def spelled(values: pa.Array) -> pa.StringArray:
    """Return typed values, no texts, as the categories that they mean."""
    if pa.types.is_decimal(values.type):
        values = pc.cast(values, pa.float64())
    coded = values.dictionary_encode()
    texts = [category(value) for value in coded.dictionary.to_pylist()]
    return pa.array(texts, pa.string()).take(coded.indices)


def first(mask: pa.BooleanArray) -> int:
    """Return where a mask is first true."""
    return int(pc.index(mask, True).as_py())
