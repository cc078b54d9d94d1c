"""Columns that name the rows instead of telling something about them.

A text that is another one in most rows (a name, a date, a case number) will be unseen
in every new row; a running number tells the order of the file. Both can only flatter.
"""

from collections import Counter

import numpy as np

from app.features.schema import Feature, FeatureSchema
from app.features.table import Table
from app.features.values import category

__all__ = ["identifier_warnings"]

_FEWEST = 20
"""Rows below which a column may be such by chance."""

_LEAVE_OUT = "leave the column out, or use it for /groups or /evaluation/order_by"


def identifier_warnings(features: FeatureSchema, table: Table) -> list[str]:
    """Return a warning for each feature that looks like an identifier.

    Parameters
    ----------
    features : FeatureSchema
    table : Table
        All rows of the training.
    """
    if table.n_rows < _FEWEST:
        return []
    told = []
    for feature in features.features:
        if feature.type == "categorical":
            single = _single(table, feature)
            if 2 * single > table.n_rows:
                told.append(
                    f"column {feature.name!r} has a text of its own in {single} of"
                    f" {table.n_rows} rows: new rows will bring others, so it says"
                    f" nothing about them; {_LEAVE_OUT}"
                )
        elif feature.type == "numeric" and _runs(table, feature):
            told.append(
                f"column {feature.name!r} is a running number, another in every row:"
                f" it tells where a row stood; {_LEAVE_OUT}"
            )
    return told


def _single(table: Table, feature: Feature) -> int:
    """Return how many rows have a text that no other row has."""
    texts = (v for v in table.columns[feature.name] if v is not None)
    return sum(count == 1 for count in Counter(map(category, texts)).values())


def _runs(table: Table, feature: Feature) -> bool:
    """Tell whether a column is whole numbers without gap or repetition."""
    values = table.columns[feature.name]
    if np.isnan(values).any():
        return False
    low, high = float(values.min()), float(values.max())
    if high - low != len(values) - 1 or (values != np.floor(values)).any():
        return False
    return len(np.unique(values)) == len(values)
