"""What every booster does with its training rows before it begins."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, validate_data

from solvers.trainers.row_groups import draw_groups
from solvers.trainers.targets import binary_targets

__all__ = ["TrainingRows", "read_rows", "split_rows"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Rows of positive weight: X (n_rows, n_features), y in {-1, +1}, weight."""

    X: Floats
    y: Floats
    weight: Floats
    groups: NDArray[Any] | None = None
    """Rows of one group stay together when some are kept apart, shape (n_rows,)."""

    def take(self, rows: NDArray[np.intp]) -> "TrainingRows":
        """Return some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        return TrainingRows(self.X[rows], self.y[rows], self.weight[rows], groups)


def read_rows(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None = None,
) -> tuple[TrainingRows, NDArray[Any]]:
    """Return the checked rows and the two classes.

    NaN is a value like any other; a row of weight 0 is no row.

    Raises
    ------
    ValueError
        When X is infinite, a weight is negative, there are not two classes, or there
        is not one group for each row.
    """
    values, labels = validate_data(
        estimator, X, y, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
    )
    weight = _check_sample_weight(
        sample_weight, values, dtype=np.float64, ensure_non_negative=True
    )
    named = None if groups is None else np.asarray(groups)
    if named is not None and named.shape != weight.shape:
        msg = f"groups must name one group a row: {len(weight)} rows, {named.shape}"
        raise ValueError(msg)
    if not weight.all():
        used = np.flatnonzero(weight)
        values, labels, weight = values[used], labels[used], weight[used]
        named = None if named is None else named[used]
    classes, signs = binary_targets(labels)
    return TrainingRows(values, signs, weight, named), classes


def split_rows(
    rows: TrainingRows, fraction: float, random_state: Any
) -> tuple[TrainingRows, TrainingRows | None]:
    """Return the rows to train on and those kept apart, both with each class's share.

    Groups stay whole. When a class is too small to give a row, or groups leave a side
    with one class only, none is kept apart: the second is None.
    """
    random = check_random_state(random_state)
    if rows.groups is not None:
        positive = rows.y > 0.0
        apart = draw_groups(positive, rows.groups, fraction, random)
        if not all(len(np.unique(positive[side])) == 2 for side in (apart, ~apart)):
            return rows, None
        return rows.take(np.flatnonzero(~apart)), rows.take(np.flatnonzero(apart))
    apart = np.zeros(len(rows.y), dtype=bool)
    for sign in (-1.0, 1.0):
        members = random.permutation(np.flatnonzero(rows.y == sign))
        count = int(fraction * len(members))
        if count == 0:
            return rows, None
        apart[members[:count]] = True
    return rows.take(np.flatnonzero(~apart)), rows.take(np.flatnonzero(apart))
