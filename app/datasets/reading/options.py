"""What a caller may say about a file that the file does not say itself."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from app.features.columns import ColumnType
from app.features.values import MISSING

__all__ = [
    "DELIMITERS",
    "ENCODINGS",
    "ColumnType",
    "Encoding",
    "Format",
    "ReadOptions",
]

Format = Literal["csv", "parquet", "arrow", "svmlight"]
Encoding = Literal["auto", "utf-8", "utf-16", "latin-1", "windows-1252"]

ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)[1:]
"""Those that a file can be said to be in: all but ``auto``."""
DELIMITERS = MappingProxyType(
    {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a file; only ``types`` and ``missing`` speak of more than CSV."""

    delimiter: str | None = None
    """One of ``, ; | tab``; None finds it in the first records."""
    decimal: Literal["auto", ".", ","] = "auto"
    """``auto``: what the cells show (``notations``)."""
    header: bool | None = None
    """Whether the first record holds the names (else column_1, column_2, ...); None:
    it does, and is refused where it looks like a row."""
    encoding: Encoding = "auto"
    """``auto``: UTF-8, or UTF-16 by its mark, or else windows-1252."""
    missing: tuple[str, ...] | None = None
    """Values that mean "no value", as ``app.features.values`` compares them; None: the
    usual ones in text, and in typed columns nothing but the blank text."""
    types: tuple[tuple[str, ColumnType], ...] = ()
    """Declared types by column name; a cell that contradicts one is refused."""

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks that a model learns with a table that was read so."""
        return MISSING if self.missing is None else self.missing
