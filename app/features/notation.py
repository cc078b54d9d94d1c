"""How numbers are written in a column of text: learnt with a table, kept with a model.

    decimal    the mark before the decimals
    grouped    whether thousands are set apart by the other mark: 1,234.5 or 1.234,5
    unit       the percent sign or the currency beside the numbers, which are read as
               they stand: 5 % is 5

``1,234`` alone may be either; which it is, only other cells of its file, of its
training or the caller can say.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["PLAIN", "Decimal", "Notation", "from_payload", "to_payload"]

Decimal = Literal[".", ","]


@dataclass(frozen=True, slots=True)
class Notation:
    """See the table at the top of this module."""

    decimal: Decimal = "."
    grouped: bool = False
    unit: str = ""


PLAIN = Notation()
"""As programs write numbers."""


def to_payload(notations: Mapping[str, Notation]) -> dict[str, Any]:
    """Return the notations of columns as JSON-able data."""
    return {name: asdict(notation) for name, notation in notations.items()}


def from_payload(payload: Mapping[str, Any]) -> dict[str, Notation]:
    """Rebuild notations from `to_payload`."""
    return {name: Notation(**notation) for name, notation in payload.items()}
