"""What a caller may say about a file that the file does not say itself."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

__all__ = [
    "DELIMITERS",
    "ENCODINGS",
    "MISSING",
    "ColumnType",
    "Encoding",
    "Format",
    "ReadOptions",
]

Format = Literal["csv", "parquet", "arrow", "svmlight"]
ColumnType = Literal["numeric", "boolean", "categorical"]
Encoding = Literal["utf-8", "utf-16", "latin-1", "windows-1252"]

ENCODINGS: tuple[str, ...] = get_args(Encoding)
DELIMITERS = MappingProxyType(
    {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
)
MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a file; only ``types`` speaks of anything but CSV."""

    delimiter: str | None = None
    """One of ``, ; | tab``; None finds it in the first records."""
    decimal: Literal[".", ","] = "."
    header: bool = True
    """Whether the first record holds the names (else column_1, column_2, ...)."""
    encoding: Encoding = "utf-8"
    missing: tuple[str, ...] = MISSING
    """Cells that mean "no value", compared without the spaces around them."""
    types: tuple[tuple[str, ColumnType], ...] = ()
    """Declared types by column name; a cell that contradicts one is refused."""
