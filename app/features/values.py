"""What names, categories, labels and marks for "no value" are, whatever brings them.

    name, text    without the white space around it, composed (NFC)
    category      such a text; a number in its shortest digits, so 1, 1.0, "1", "1.0"
                  are one ("01" and "1.50" are texts); true, "True" and "TRUE" are one
    mark          a text that means "no value"; the blank one always does

JSON, columns, CSV, Parquet and Arrow are held to these functions, in training, in use
and in evaluation.
"""

import re
from collections.abc import Iterable
from math import isfinite
from unicodedata import normalize

__all__ = [
    "FALSE",
    "MISSING",
    "TRUE",
    "WHITE",
    "Value",
    "category",
    "is_number",
    "marks_of",
    "numbers_of",
    "trimmed",
]

Value = bool | int | float | str

WHITE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
    "\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""White space of Unicode, the space of no width and the byte order mark."""

TRUE, FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")

MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null")
"""The marks where nobody names others."""

_TRUTH = {**dict.fromkeys(TRUE, "true"), **dict.fromkeys(FALSE, "false")}
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+|(\.[0-9]+)?e[-+][0-9]+)")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[-+][0-9]+)?")


def trimmed(text: str) -> str:
    """Return a name or a text as it is compared."""
    text = text.strip(WHITE)
    return text if text.isascii() else normalize("NFC", text)


def category(value: Value) -> str:
    """Return the category, or the label, that a value is."""
    if isinstance(value, str):
        text = trimmed(value)
        if not _DECIMAL.fullmatch(text):
            return _TRUTH.get(text, text)
        # What programs write for a float64 is that number; other digits stay text.
        number = float(text)
        return category(number) if repr(number) == text else text
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def is_number(category: str) -> bool:
    """Tell whether a category is what some number is written as."""
    return _NUMBER.fullmatch(category) is not None


def marks_of(texts: Iterable[str]) -> frozenset[str]:
    """Return marks as categories are compared; the blank one is always among them."""
    return frozenset(("", *map(category, texts)))


def numbers_of(marks: Iterable[str]) -> tuple[float, ...]:
    """Return the numbers among marks, ascending: -999 in a column of numbers."""
    numbers = {float(mark) for mark in marks if is_number(category(mark))}
    return tuple(sorted(number for number in numbers if isfinite(number)))
