"""How much of a file is read before it is refused."""

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on an uploaded table; the defaults are those of the settings."""

    rows: int = 20_000_000
    columns: int = 10_000
    cells: int = 500_000_000
    """Rows times columns."""
    text_bytes: int = 2 * 1024**3
    """Bytes of all text in a file that keeps it packed: as many as CSV may bring."""
    name_length: int = 200
    """Characters of a column's name."""
    cell_length: int = 10_000
    """Bytes of one text cell."""
    record_bytes: int = 16 * 1024 * 1024
    """Bytes of one CSV record, which quoted line breaks may spread over many lines."""
