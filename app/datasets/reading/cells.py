r"""Cells of text as values: numbers, truth values, categories, or missing.

    number   = [spaces] [sign] digits [mark digits] [e [sign] digits] [spaces]
    boolean  = true | false, in any of three spellings
    category = any other text, without the spaces around it

A cell is missing where, without the spaces around it, it is one of the missing marks.
Every function takes a whole column of a batch and leaves the work to Arrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["Marks", "booleans", "categories", "first", "no_nan", "numbers"]

_TRUE = pa.array(["true", "True", "TRUE"])
_FALSE = pa.array(["false", "False", "FALSE"])
_NUMBER = r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$|^[-+]?(inf|infinity|nan)$"


@dataclass(frozen=True, slots=True)
class Marks:
    """The texts that mean "no value"."""

    texts: Sequence[str]
    array: pa.StringArray = field(init=False)
    plain: bool = field(init=False)
    """Whether none of them is a number: a cell that is one is then not missing."""

    def __post_init__(self) -> None:
        array = pa.array(self.texts, pa.string())
        digits = pc.match_substring_regex(array, "[0-9]")
        object.__setattr__(self, "array", array)
        object.__setattr__(self, "plain", not pc.any(digits).as_py())

    def __call__(self, trimmed: pa.StringArray) -> pa.BooleanArray:
        """Tell which cells are missing."""
        return pc.is_in(trimmed, value_set=self.array)


def numbers(
    cells: pa.Array, missing: Marks, decimal: Literal[".", ","] = "."
) -> tuple[pa.DoubleArray, pa.BooleanArray | None]:
    """Return a column as numbers, missing as null, and which cells are neither.

    The second part is None where every cell is a number or missing, which is found
    out at the price of one cast.
    """
    if decimal == "." and missing.plain:
        values = _cast(cells)
        if values is not None:
            return values, None
    trimmed = pc.ascii_trim_whitespace(cells)
    filled = pc.if_else(missing(trimmed), None, trimmed)
    if decimal == ",":
        # 1.234,5 would be read as another number: a point is no part of one here.
        filled = pc.replace_substring(filled, ".", "x")
        filled = pc.replace_substring(filled, ",", ".")
    values = _cast(filled)
    if values is not None:
        return values, None
    fine = pc.match_substring_regex(filled, _NUMBER, ignore_case=True)
    values = _cast(pc.if_else(fine, filled, None))
    return values, pc.fill_null(pc.invert(fine), False)


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
    trimmed = pc.ascii_trim_whitespace(cells)
    true = pc.is_in(trimmed, value_set=_TRUE)
    known = pc.or_(true, pc.is_in(trimmed, value_set=_FALSE))
    neither = pc.invert(pc.or_(known, missing(trimmed)))
    values = pc.if_else(known, true, None)
    return values, neither if pc.any(neither).as_py() else None


def categories(cells: pa.Array, missing: Marks) -> pa.StringArray:
    """Return a column as text without the spaces around it, missing as null."""
    trimmed = pc.ascii_trim_whitespace(cells)
    return pc.if_else(missing(trimmed), None, trimmed)


def first(mask: pa.BooleanArray) -> int:
    """Return where a mask is first true."""
    return int(pc.index(mask, True).as_py())
