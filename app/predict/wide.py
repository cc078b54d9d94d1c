"""Rows of models with very many columns, read as dictionaries.

A struct finds a key by walking over its fields, which takes the square of their number
when keys come in another order. A dictionary costs the same in any order; what the
decoder of a struct would check is checked here.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, get_args

import msgspec

from app.features.feature import Feature
from app.predict.cells import cell_type

__all__ = ["Tuples", "wide_rows"]

Tuples = Callable[[list[Any]], Iterable[tuple[Any, ...]]]


def wide_rows(
    features: Sequence[Feature], *, ignore_extra: bool
) -> tuple["msgspec.json.Decoder[list[Any]]", Tuples]:
    """Return a decoder of rows, and what turns them into tuples like ``features``.

    Both raise ValueError (a DecodeError is one) when a row is not as it should be.
    """
    pick = itemgetter(*(feature.name for feature in features))
    kinds = list(map(_kinds, features))
    width = len(features)

    def tuples(rows: list[Any]) -> list[tuple[Any, ...]]:
        if not ignore_extra and any(len(row) != width for row in rows):
            msg = "a row has other columns than the model"
            raise ValueError(msg)
        try:
            picked = [pick(row) for row in rows]
        except KeyError:
            msg = "a row lacks a column of the model"
            raise ValueError(msg) from None
        for column, allowed in zip(zip(*picked, strict=True), kinds, strict=False):
            if not allowed.issuperset(map(type, column)):
                msg = "a cell is of another type than its column"
                raise ValueError(msg)
        return picked

    cell: Any = Any if ignore_extra else float | bool | str | None
    return msgspec.json.Decoder(list[dict[str, cell]]), tuples


def _kinds(feature: Feature) -> set[type]:
    """Return the types that a decoder makes of a feature's cells."""
    kinds = set(get_args(cell_type(feature)))
    return kinds | {int} if float in kinds else kinds
