"""The rows of an evaluation: features as the model takes them, labels as it knows them.

Every feature has to be there, of its type; a column without any value is of any type.
"""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from app.artifacts.model import Labels
from app.errors import FieldError
from app.errors.faults import refuse
from app.evidence.part import Part
from app.features.columns import by_value
from app.features.feature import Feature
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.features.values import category, marks_of
from app.train.role_columns import Place, read_groups, read_probabilities, read_weights
from app.train.rows import Cell
from app.train.schemas import Target

__all__ = ["check_columns", "feature_table", "labelled"]

Floats = NDArray[np.float64]


def check_columns(
    table: Table,
    features: FeatureSchema,
    target: Target,
    known: Collection[str],
    prices: Sequence[str] = (),
) -> None:
    """Refuse missing columns, columns nobody asked for, and those of another type.

    Parameters
    ----------
    table : Table
        Its columns; rows are not looked at.
    features : FeatureSchema
    target : Target
    known : collection of str
        Further columns that may be there.
    prices : sequence of str
        Columns that prices follow.

    Raises
    ------
    InvalidRequestError
    """
    faults = [
        FieldError("/data/columns", "the column is missing", column=name)
        for name in dict.fromkeys((*features.names, *prices))
        if name not in table.columns
    ]
    roles = {"column": target.column, "weight": target.weight}
    for role, name in roles.items():
        if name is not None and name not in table.columns:
            faults.append(FieldError(f"/target/{role}", "the table has no such column"))
        elif name in features.names:
            detail = "the column is a feature of the model"
            faults.append(FieldError(f"/target/{role}", detail))
    fitting = {*features.names, *prices, *roles.values(), *known}
    faults += [
        FieldError(
            f"/data/columns/{j}",
            'the model has no such column; leave it out, or say "extra_columns":'
            ' "ignore"',
            column=name,
        )
        for j, name in enumerate(table.names)
        if name not in fitting
    ]
    if faults:
        raise refuse(faults)


def feature_table(table: Table, features: FeatureSchema) -> Table:
    """Return the features' columns, typed as the model takes them.

    Raises
    ------
    InvalidRequestError
        When a column is of another type.
    """
    wrong = [
        FieldError(
            "/data/columns",
            f"the column is {table.types[feature.name]}, the model takes it as"
            f" {feature.type}",
            column=feature.name,
        )
        for feature in features.features
        if not feature.takes(table.types[feature.name])
        and not table.missing(feature.name).all()
    ]
    if wrong:
        raise refuse(wrong)
    columns = {f.name: _typed(table, f, features) for f in features.features}
    return Table(columns, {f.name: f.type for f in features.features})


def _typed(
    table: Table, feature: Feature, features: FeatureSchema
) -> NDArray[np.object_] | Floats:
    """Return a column by the model's type, its marks for "no value" missing."""
    name = feature.name
    if not feature.takes(table.types[name]):  # there is no value at all
        nothing = np.nan if feature.type == "numeric" else None
        return np.full(table.n_rows, nothing, dtype=float if nothing else object)
    column = table.columns[name]
    if feature.type == "numeric":
        return np.where(np.isin(column, features.missing_numbers), np.nan, column)
    if feature.type == "boolean":
        return column
    marks = marks_of(features.missing) - set(map(category, feature.categories))

    def text_of(value: Cell) -> str | None:
        text = category(value)  # type: ignore[arg-type]  # None is left out
        return None if text in marks else text

    return by_value(table.values(name), text_of)


def labelled(
    table: Table, target: Target, labels: Labels, groups: str | None = None
) -> Part:
    """Return what is known of each row's class; rows of weight 0 count as none.

    ``groups`` is the column that names what was drawn together.

    Raises
    ------
    InvalidRequestError
        When a cell is no label that the model knows, or no row counts.
    """
    names = table.names
    place = Place(target.column, names.index(target.column))
    cells = table.values(target.column)
    if target.probability:
        positive = read_probabilities(place, cells)
    else:
        positive = _signs(place, cells, target, labels)
    weight = np.ones(len(cells))
    if target.weight is not None:
        weighed = Place(target.weight, names.index(target.weight))
        weight = read_weights(weighed, table.values(target.weight))
    rows = np.flatnonzero(weight > 0)
    if not len(rows):
        raise refuse([FieldError("/data/rows", "no row has a positive weight")])
    together = None
    if groups is not None:
        grouped = Place(groups, names.index(groups))
        together = read_groups(grouped, table.values(groups))[rows]
    weighted = bool((weight[rows] != 1.0).any())
    return Part(rows, positive[rows], weight[rows], weighted, together)


def _signs(
    place: Place, cells: Sequence[Cell], target: Target, labels: Labels
) -> Floats:
    labelled_so = {category(labels.positive): 1.0, category(labels.negative): 0.0}
    if target.positive is not None and category(target.positive) != category(
        labels.positive
    ):
        detail = "the model was trained with another label as +1"
        raise refuse([FieldError("/target/positive", detail)])
    known: dict[Cell, float | None] = {None: None}
    known |= {c: labelled_so.get(category(c)) for c in set(cells) if c is not None}
    place.require(
        cells,
        lambda cell: known.get(cell) is not None,
        "every row needs one of the two labels that the model was trained with",
    )
    return np.array([known[cell] for cell in cells], dtype=np.float64)
