"""Columns that name the rows instead of telling something about them.

A text that is another one in most rows (a name, a date, a case number) will be unseen
in every new row; a running number tells the order of the file. Both can only flatter.
What stands in several rows each (a person, a customer, a batch) tells which of them
belong together: where that is nobody's group, the same person trains and evaluates.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable

import numpy as np

from app.features.feature import Feature
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.features.values import category

__all__ = ["group_warnings", "identifier_warnings"]

_FEWEST = 20
"""Rows below which a column may be such by chance."""

_FEWEST_GROUPS = 5
"""Values below which a column rather sorts rows than says whose they are."""

_MOST_TOLD = 3

_NAMED = re.compile(r"(?:^|[\W_])(?i:id|uuid|guid)$|[a-z](?:ID|Id)$")
"""Names that say of themselves what their column is."""

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
    warnings = []
    for feature in features.features:
        if feature.type == "categorical":
            single = _single(table, feature)
            if 2 * single > table.n_rows:
                warnings.append(
                    f"column {feature.name!r} has a text of its own in {single} of"
                    f" {table.n_rows} rows: new rows will bring others, so it says"
                    f" nothing about them; {_LEAVE_OUT}"
                )
        elif feature.type == "numeric" and _runs(table, feature):
            warnings.append(
                f"column {feature.name!r} is a running number, another in every row:"
                f" it tells where a row stood; {_LEAVE_OUT}"
            )
    return warnings


def group_warnings(read: Table, left_out: Iterable[Table]) -> list[str]:
    """Return a warning for each column that may say which rows belong together.

    Parameters
    ----------
    read : Table
        The features of a training that names no groups. Any of them may have values
        that repeat, so those are told whose name says that they are identifiers.
    left_out : iterable of Table
        Columns that are no features.
    """
    warnings = [
        _together(name, found, "is a feature, though its name is that of an identifier")
        for name in read.names
        if _NAMED.search(name) and (found := _repeated(read, name))
    ]
    warnings += [
        _together(name, found, "is left out")
        for table in left_out
        for name in table.names
        if (found := _repeated(table, name))
    ]
    more = len(warnings) - _MOST_TOLD
    if more > 0:
        warnings[_MOST_TOLD:] = [f"so may {more} more columns that repeat their values"]
    return warnings


def _together(name: str, repeats: tuple[int, float], what: str) -> str:
    values, rows = repeats
    quoted = json.dumps(name, ensure_ascii=False)
    return (
        f"column {name!r} {what}, and has {values} values with about {rows:.3g} rows"
        " each: if rows of one value belong together (one person, one customer, one"
        " batch), the evaluation takes them for separate cases and flatters the model;"
        f' send the column and name it, "groups": {quoted}'
        " (command line: --groups)"
    )


def _repeated(table: Table, name: str) -> tuple[int, float] | None:
    """Return how many values a column has and how many rows each, if most repeat."""
    known = table.columns[name][~table.missing(name)]
    if table.types[name] == "boolean" or table.n_rows < _FEWEST:
        return None
    if table.types[name] == "numeric":
        if (known != np.floor(known)).any():
            return None
        counts = np.unique(known, return_counts=True)[1]
    else:
        counts = np.array(list(Counter(map(category, known)).values()), dtype=int)
    if len(counts) < _FEWEST_GROUPS or 2 * (counts > 1).sum() <= len(counts):
        return None
    return len(counts), float(counts.mean())


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
