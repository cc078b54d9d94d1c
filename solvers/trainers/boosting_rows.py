"""What every booster does with its training rows before it begins."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, validate_data

from solvers.trainers.targets import binary_targets

__all__ = ["TrainingRows", "read_rows", "split_rows"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Rows of positive weight: X (n_rows, n_features), y in {-1, +1}, weight."""

    X: Floats
    y: Floats
    weight: Floats

    def take(self, rows: NDArray[np.intp]) -> "TrainingRows":
        """Return some of the rows."""
        return TrainingRows(self.X[rows], self.y[rows], self.weight[rows])


def read_rows(
    estimator: Any, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[TrainingRows, NDArray[Any]]:
    """Return the checked rows and the two classes.

    NaN is a value like any other; a row of weight 0 is no row.

    Raises
    ------
    ValueError
        When X is infinite, a weight is negative or there are not two classes.
    """
    values, labels = validate_data(
        estimator, X, y, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
    )
    weight = _check_sample_weight(
        sample_weight, values, dtype=np.float64, ensure_non_negative=True
    )
    if not weight.all():
        used = np.flatnonzero(weight)
        values, labels, weight = values[used], labels[used], weight[used]
    classes, signs = binary_targets(labels)
    return TrainingRows(values, signs, weight), classes


def split_rows(
    rows: TrainingRows, fraction: float, random_state: Any
) -> tuple[TrainingRows, TrainingRows | None]:
    """Return the rows to train on and those kept apart, both with each class's share.

    When a class is too small to give a row, none is kept apart: the second is None.
    """
    random = check_random_state(random_state)
    apart = np.zeros(len(rows.y), dtype=bool)
    for sign in (-1.0, 1.0):
        members = random.permutation(np.flatnonzero(rows.y == sign))
        count = int(fraction * len(members))
        if count == 0:
            return rows, None
        apart[members[:count]] = True
    return rows.take(np.flatnonzero(~apart)), rows.take(np.flatnonzero(apart))
