"""What a cell of each column type may be; None is a missing value."""

from typing import Any

from app.features.table import ColumnType

__all__ = ["CELL_TYPES"]

CELL_TYPES: dict[ColumnType, Any] = {
    "numeric": float | None,
    "boolean": bool | None,
    "categorical": str | None,
}
