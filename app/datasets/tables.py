"""Arrow tables as tables of the service: float64 with NaN, objects with None."""

import json
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from app.datasets.reading.convert import MARKS, NOTATIONS
from app.features.columns import ColumnType
from app.features.notation import from_payload
from app.features.table import Table
from app.features.values import MISSING, trimmed

__all__ = ["as_table"]


def as_table(read: pa.Table) -> Table:
    """Return the columns of a stored data set as training takes them.

    Parameters
    ----------
    read : pyarrow.Table
        Columns of float64, bool and string, as ``reading.convert`` writes them.
    """
    columns: dict[str, NDArray[Any]] = {}
    types: dict[str, ColumnType] = {}
    for name, column in zip(read.column_names, read.columns, strict=True):
        columns[name], types[name] = _column(column)
    metadata = read.schema.metadata or {}
    written_marks, written = (
        metadata.get(MARKS),
        json.loads(metadata.get(NOTATIONS, b"{}")),
    )
    marks = MISSING if written_marks is None else tuple(json.loads(written_marks))
    notations = from_payload(written)
    return Table(columns, types, marks, notations)


def _column(column: pa.ChunkedArray) -> tuple[NDArray[Any], ColumnType]:
    if pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy(), dtype=np.float64), "numeric"
    if pa.types.is_boolean(column.type):
        values = np.empty(len(column), dtype=object)
        values[:] = column.to_pylist()
        return values, "boolean"
    # Equal texts become one object: a million rows hold few of them.
    coded = column.dictionary_encode().unify_dictionaries().combine_chunks()
    labels = [trimmed(text) or None for text in coded.dictionary.to_pylist()]
    texts = np.array([*labels, None], dtype=object)
    codes = coded.indices.fill_null(len(texts) - 1)
    return texts[codes.to_numpy()], "categorical"
