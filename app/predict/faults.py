"""The second look at rows that could not be read: what is wrong, cell by cell.

It runs only after a decoder has refused, and names row and column but no value. A row
counts from 0, as JSON pointers do.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw

from app.errors import FieldError
from app.features.schema import FeatureSchema
from app.features.table import ColumnType
from app.predict.cells import CELL_TYPES

__all__ = ["grid_faults", "instance_faults"]

_OBJECT = msgspec.json.Decoder(dict[str, Raw])
_LIST = msgspec.json.Decoder(list[Raw])
_CELLS = {kind: msgspec.json.Decoder(cell) for kind, cell in CELL_TYPES.items()}
_WORDS = {
    "numeric": "a finite number or null",
    "boolean": "true, false or null",
    "categorical": "a string or null",
}
_FIRST_BYTES = {
    b'"': "a string",
    b"t": "a boolean",
    b"f": "a boolean",
    b"n": "null",
    b"{": "an object",
    b"[": "a list",
}


def instance_faults(
    rows: Sequence[Raw], schema: FeatureSchema, *, ignore_extra: bool, first: int = 0
) -> Iterator[FieldError]:
    """Yield what is wrong with rows that are objects.

    Parameters
    ----------
    rows : sequence of raw JSON values
    schema : FeatureSchema
    ignore_extra : bool
        Whether unknown keys are fine.
    first : int
        Index of ``rows[0]`` in the request.
    """
    types = {feature.name: feature.type for feature in schema.features}
    for row, raw in enumerate(rows, first):
        pointer = f"/instances/{row}"
        cells = _decoded(_OBJECT, raw)
        if cells is None:
            yield FieldError(pointer, "a row is an object of columns", row=row)
            continue
        yield from _keys(cells, types, pointer, row, ignore_extra)
        for name, cell in cells.items():
            if name in types:
                place = f"{pointer}/{_escaped(name)}"
                yield from _cell(cell, types[name], place, row, name)


def grid_faults(
    rows: Sequence[Raw], columns: Sequence[str], schema: FeatureSchema, first: int = 0
) -> Iterator[FieldError]:
    """Yield what is wrong with rows that are lists under ``columns``."""
    types = {feature.name: feature.type for feature in schema.features}
    for row, raw in enumerate(rows, first):
        pointer = f"/data/rows/{row}"
        cells = _decoded(_LIST, raw)
        if cells is None:
            yield FieldError(pointer, "a row is a list of values", row=row)
            continue
        if len(cells) != len(columns):
            detail = f"the row has {len(cells)} values for {len(columns)} columns"
            yield FieldError(pointer, detail, row=row)
            continue
        for j, (name, cell) in enumerate(zip(columns, cells, strict=True)):
            if name in types:
                yield from _cell(cell, types[name], f"{pointer}/{j}", row, name)


def _keys(
    cells: Mapping[str, Raw],
    types: Mapping[str, ColumnType],
    pointer: str,
    row: int,
    ignore_extra: bool,
) -> Iterator[FieldError]:
    for name in types:
        if name not in cells:
            detail = "the column is missing; null stands for a missing value"
            yield FieldError(pointer, detail, row=row, column=name)
    for name in cells:
        if name not in types and not ignore_extra:
            shown = name[:200]
            detail = (
                "the model has no such column; leave it out, or say"
                ' "extra_columns": "ignore"'
            )
            place = f"{pointer}/{_escaped(shown)}"
            yield FieldError(place, detail, row=row, column=shown)


def _cell(
    raw: Raw, kind: ColumnType, pointer: str, row: int, column: str
) -> Iterator[FieldError]:
    if _fits(_CELLS[kind], raw):
        return
    given = _FIRST_BYTES.get(bytes(raw).lstrip()[:1], "a number")
    if kind == "numeric" and given == "a number":
        detail = "the number is out of range"
    elif kind == "categorical" and given == "a string":
        detail = "the string is no UTF-8"
    else:
        detail = f"expected {_WORDS[kind]}, got {given}"
    yield FieldError(pointer, detail, row=row, column=column)


def _fits(decoder: "msgspec.json.Decoder[Any]", raw: Raw) -> bool:
    try:
        decoder.decode(raw)
    except (ValueError, RecursionError):
        return False
    return True


def _decoded(decoder: "msgspec.json.Decoder[Any]", raw: Raw) -> Any:
    try:
        return decoder.decode(raw)
    except (ValueError, RecursionError):
        return None


def _escaped(name: str) -> str:
    """Return a name as a part of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")
