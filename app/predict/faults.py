"""Find what is wrong with rows that a decoder has refused, cell by cell.

A fault names row and column but no value. Rows count from 0, as in JSON pointers.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw

from app.errors import FieldError
from app.errors.faults import at
from app.features.feature import Feature
from app.features.schema import FeatureSchema
from app.features.values import trimmed
from app.predict.cells import cell_type, cell_words

__all__ = ["grid_faults", "instance_faults", "respelled"]

_OBJECT = msgspec.json.Decoder(dict[str, Raw])
_LIST = msgspec.json.Decoder(list[Raw])
_FIRST_BYTES = {
    b'"': "a string",
    b"t": "a boolean",
    b"f": "a boolean",
    b"n": "null",
    b"{": "an object",
    b"[": "a list",
}


def respelled(rows: Sequence[Raw], names: Mapping[str, str]) -> list[Raw] | None:
    """Return rows that are objects under the model's names; None where they were.

    Parameters
    ----------
    rows : sequence of raw JSON values
    names : mapping of str to str
        The model's columns by their trimmed names.
    """
    renamed = [_renamed(raw, names) for raw in rows]
    if all(new is old for new, old in zip(renamed, rows, strict=True)):
        return None
    return renamed


def _renamed(raw: Raw, names: Mapping[str, str]) -> Raw:
    cells = _decoded(_OBJECT, raw) or {}
    renamed = {names.get(trimmed(name), name): cell for name, cell in cells.items()}
    if renamed.keys() == cells.keys() or len(renamed) < len(cells):
        return raw
    return Raw(msgspec.json.encode(renamed))


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
    features = {feature.name: feature for feature in schema.features}
    for row, raw in enumerate(rows, first):
        pointer = f"/instances/{row}"
        cells = _decoded(_OBJECT, raw)
        if cells is None:
            yield FieldError(pointer, "a row is an object of columns", row=row)
            continue
        yield from _keys(cells, features, pointer, row, ignore_extra)
        for name, cell in cells.items():
            if name in features:
                place = pointer + at(name)
                yield from _cell(cell, features[name], place, row, name)


def grid_faults(
    rows: Sequence[Raw], columns: Sequence[str], schema: FeatureSchema, first: int = 0
) -> Iterator[FieldError]:
    """Yield what is wrong with rows that are lists under ``columns``."""
    features = {feature.name: feature for feature in schema.features}
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
            if name in features:
                yield from _cell(cell, features[name], f"{pointer}/{j}", row, name)


def _keys(
    cells: Mapping[str, Raw],
    features: Mapping[str, Feature],
    pointer: str,
    row: int,
    ignore_extra: bool,
) -> Iterator[FieldError]:
    for name in features:
        if name not in cells:
            detail = "the column is missing; null stands for a missing value"
            yield FieldError(pointer, detail, row=row, column=name)
    for name in cells:
        if name not in features and not ignore_extra:
            shown = name[:200]
            detail = (
                "the model has no such column; leave it out, or say"
                ' "extra_columns": "ignore"'
            )
            place = pointer + at(shown)
            yield FieldError(place, detail, row=row, column=shown)


def _cell(
    raw: Raw, feature: Feature, pointer: str, row: int, column: str
) -> Iterator[FieldError]:
    if _fits(msgspec.json.Decoder(cell_type(feature)), raw):
        return
    kind = _FIRST_BYTES.get(bytes(raw).lstrip()[:1], "a number")
    if feature.type == "numeric" and kind == "a number":
        detail = "the number is out of range"
    elif feature.type == "categorical" and kind == "a string":
        detail = "the string is no UTF-8"
    else:
        detail = f"expected {cell_words(feature)}, got {kind}"
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
