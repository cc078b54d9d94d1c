"""What a cell of each column may be; None is a missing value."""

from typing import Any

from app.features.feature import Feature

__all__ = ["cell_type", "cell_words"]


def cell_type(feature: Feature) -> Any:
    """Return the type of a feature's cells, as a decoder takes it.

    Categories are strings; numbers or booleans too, where some of them are.
    """
    if feature.type == "numeric":
        return float | None
    if feature.type == "boolean":
        return bool | None
    kind: Any = str | None
    if feature.takes("numeric"):
        kind |= int | float
    return kind | bool if feature.takes("boolean") else kind


def cell_words(feature: Feature) -> str:
    """Return the same in words."""
    if feature.type == "numeric":
        return "a finite number or null"
    if feature.type == "boolean":
        return "true, false or null"
    number = "a number, " if feature.takes("numeric") else ""
    truth = "true, false, " if feature.takes("boolean") else ""
    return f"{number}{truth}a string or null"
