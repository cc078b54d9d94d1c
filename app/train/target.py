"""What the table says about each row's class, weight, group and place in time.

A label is compared by type and value: ``true``, ``1`` and ``"1"`` are three labels.
``y`` is +1 or -1, or a probability of +1. Both classes need enough rows of positive
weight for every part that the rows are split into.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError
from app.features.table import Table
from app.train.parsing import Submission
from app.train.refusal import refuse
from app.train.schemas import Target, TrainRequest
from app.train.special import (
    Place,
    read_groups,
    read_moments,
    read_probabilities,
    read_weights,
)

__all__ = ["Label", "Sample", "find_roles", "read_sample"]

Floats = NDArray[np.float64]
Label = bool | int | float | str
Read = TypeVar("Read")

_ROLES = {
    "target": "/target/column",
    "weight": "/target/weight",
    "groups": "/groups",
    "order_by": "/evaluation/order_by",
}


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The columns of a table that are no features, each of length ``n_rows``.

    ``y`` is +1 or -1 (or in [0, 1], where ``probabilities``), ``groups`` holds one
    number a group, ``moment`` grows with time.
    """

    y: Floats
    probabilities: bool
    weight: Floats | None
    groups: NDArray[np.int64] | None
    moment: Floats | None
    positive: Label
    negative: Label
    features: tuple[str, ...]


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
    else:
        positive, negative = _labels(request.target, target, table)
        y = np.array(
            [1.0 if cell == positive else -1.0 for cell in table.values(target.name)]
        )
    taken = {place.name for place in roles.values()}
    return Sample(
        y=y,
        probabilities=request.target.probability,
        weight=_read(read_weights, roles.get("weight"), table),
        groups=_read(read_groups, roles.get("groups"), table),
        moment=_read(read_moments, roles.get("order_by"), table),
        positive=positive,
        negative=negative,
        features=tuple(name for name in table.names if name not in taken),
    )


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
    wanted = {
        "target": request.target.column,
        "weight": request.target.weight,
        "groups": request.groups,
        "order_by": request.evaluation.order_by,
    }
    roles: dict[str, Place] = {}
    faults = []
    for role, name in wanted.items():
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
    found = set(cells)
    positive = target.positive
    if len(found) != 2:
        detail = (
            f"the column holds {len(found)} different labels, two are needed: the"
            ' one named by "positive" and one other'
        )
        raise refuse([FieldError("/target/column", detail)])
    if positive not in found or isinstance(positive, bool) != isinstance(
        cells[0], bool
    ):
        detail = (
            "no row has this label; labels are compared by type and value, so true,"
            ' 1 and "1" differ'
        )
        raise refuse([FieldError("/target/positive", detail)])
    # The column's own spelling: 1 and 1.0 are the same label.
    (negative,) = found - {positive}
    (spelled,) = found - {negative}
    return spelled, negative  # type: ignore[return-value]  # no label is None
