"""What the table says about each row's class, weight, group and place in time.

A label is compared as a category is: ``1`` and ``"1"`` are one, ``true`` is another.
``y`` is +1 or -1, or a probability of +1. Both classes need enough rows of positive
weight for every part that the rows are split into.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError
from app.errors.faults import refuse
from app.features.dates import are_dates
from app.features.table import Table
from app.features.values import category
from app.train.parsing import Submission
from app.train.price_columns import read_for_prices
from app.train.role_columns import (
    Place,
    read_groups,
    read_moments,
    read_precisions,
    read_probabilities,
    read_weights,
)
from app.train.schemas import Target, TrainRequest

__all__ = ["Label", "Sample", "find_roles", "read_sample"]

Floats = NDArray[np.float64]
Label = bool | int | float | str
Read = TypeVar("Read")

_MOST_SHOWN = 10
_LONGEST = 40
_ROLES = {
    "target": "/target/column",
    "weight": "/target/weight",
    "label_precision": "/target/label_precision",
    "groups": "/groups",
    "order_by": "/evaluation/order_by",
}


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The columns of a table that are no features, each of length ``n_rows``.

    ``y`` is +1 or -1 (or in [0, 1], where ``probabilities``), ``groups`` holds one
    number a group, ``moment`` grows with time, ``precision`` is each row's own eta.
    """

    y: Floats
    probabilities: bool
    weight: Floats | None
    groups: NDArray[np.int64] | None
    moment: Floats | None
    positive: Label
    negative: Label
    features: tuple[str, ...]
    dates: tuple[str, ...] = ()
    """Columns that are no features because they hold dates."""
    precision: Floats | None = None
    keys: NDArray[np.int64] | None = None
    """What tells rows apart, whatever their order; for rules with a promise."""


def read_sample(submission: Submission) -> Sample:
    """Read the columns that are no features.

    Raises
    ------
    InvalidRequestError
        When a column is missing, used twice, or holds what it must not.
    """
    request, table = submission.request, submission.table
    roles = find_roles(request, table.names)
    target = roles["target"]
    positive: Label = 1
    negative: Label = -1
    if request.target.probability:
        y = read_probabilities(target, table.values(target.name))
        if (labels := request.target.labels) is not None:
            positive, negative = labels.positive, labels.negative
    else:
        positive, negative = _labels(request.target, target, table)
        y = _signs(table.values(target.name), positive)
    taken = {place.name for place in roles.values()} | {*read_for_prices(request)}
    dates = tuple(n for n in table.names if n not in taken and _holds_dates(table, n))
    return Sample(
        y=y,
        probabilities=request.target.probability,
        weight=_read(read_weights, roles.get("weight"), table),
        groups=_read(read_groups, roles.get("groups"), table),
        moment=_read(read_moments, roles.get("order_by"), table),
        positive=positive,
        negative=negative,
        features=tuple(n for n in table.names if n not in {*taken, *dates}),
        dates=dates,
        precision=_read(read_precisions, roles.get("label_precision"), table),
    )


def _holds_dates(table: Table, name: str) -> bool:
    if table.types[name] != "categorical":
        return False
    return are_dates(set(table.columns[name].tolist()) - {None})


def _read(
    reader: Callable[[Place, Sequence[Any]], Read], place: Place | None, table: Table
) -> Read | None:
    return None if place is None else reader(place, table.values(place.name))


def find_roles(request: TrainRequest, names: list[str]) -> dict[str, Place]:
    """Return where each special column lies; a column has one role.

    Raises
    ------
    InvalidRequestError
        When one is missing, has two roles, or leaves no feature.
    """
    named = {
        "target": request.target.column,
        "weight": request.target.weight,
        "label_precision": request.target.label_precision,
        "groups": request.groups,
        "order_by": request.evaluation.order_by,
    }
    roles: dict[str, Place] = {}
    faults = []
    for role, name in named.items():
        if name is None:
            continue
        if name not in names:
            faults.append(FieldError(_ROLES[role], "the table has no such column"))
        elif name in {place.name for place in roles.values()}:
            faults.append(
                FieldError(_ROLES[role], "the column has another role already")
            )
        else:
            roles[role] = Place(name, names.index(name))
    if not faults and len(roles) == len(names):
        faults.append(FieldError("/data/columns", "no column is left to be a feature"))
    if faults:
        raise refuse(faults)
    return roles


def _labels(target: Target, place: Place, table: Table) -> tuple[Label, Label]:
    """Return the user's labels of +1 and -1."""
    cells = table.values(place.name)
    place.require(cells, lambda cell: cell is not None, "every row needs its label")
    # The column's own spelling, that of its first row: 1 and 1.0 are one label.
    found: dict[str, Label] = {}
    rows: Counter[str] = Counter()
    for cell, times in Counter(cells).items():
        name = category(cell)  # type: ignore[arg-type]  # none is None
        found.setdefault(name, cell)  # type: ignore[arg-type]
        rows[name] += times
    if len(found) != 2:
        detail = (
            f"the column holds {len(found)} different labels, two are needed: the"
            f' one named by "positive" and one other{_listed(rows)}'
        )
        raise refuse([FieldError("/target/column", detail)])
    positive = found.pop(category(target.positive), None)  # type: ignore[arg-type]  # schema
    if positive is None:
        detail = (
            'no row has this label; 1 and "1" are one label, true and 1 are not, and'
            f" case counts{_listed(rows)}"
        )
        raise refuse([FieldError("/target/positive", detail)])
    (negative,) = found.values()
    return positive, negative


def _listed(rows: Mapping[str, int]) -> str:
    """Return the labels to choose from, where they are few.

    A text that stands in one row only, or is long, may be what somebody wrote into the
    wrong cell: it is counted, not shown.
    """
    shown = [
        name for name, times in rows.items() if times > 1 and len(name) <= _LONGEST
    ]
    if not shown or len(rows) > _MOST_SHOWN:
        return ""
    hidden = len(rows) - len(shown)
    others = f", and {hidden} that are rare or long" if hidden else ""
    return f"; the labels are {', '.join(map(repr, sorted(shown)))}{others}"


def _signs(cells: Sequence[Any], positive: Label) -> Floats:
    """Return +1 where a label is the positive one, else -1."""
    known: dict[Any, float] = {}
    name = category(positive)
    for cell in set(cells):
        known[cell] = 1.0 if category(cell) == name else -1.0
    return np.array([known[cell] for cell in cells])
