"""The same machine for several values of C, sharing its kernel rows.

Rows of the kernel do not depend on C, and neighbouring values have similar weights: a
path computes the rows once and starts each fit from the one before. Most of what that
saves is the rows.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from solvers.trainers.label_machine import LabelMachine

__all__ = ["c_path"]

Machine = TypeVar("Machine", bound=LabelMachine)


def c_path(
    estimator: Machine,
    X: ArrayLike,
    y: ArrayLike,
    C: Sequence[float],
    sample_weight: ArrayLike | None = None,
) -> list[Machine]:
    """Fit one machine for each value of C.

    Parameters
    ----------
    estimator : HingeSVC, DoubleHingeSVC or MultiHingeSVC
        Not changed; every machine is a clone of it with its own C.
    X : array-like or sparse matrix of shape (n_rows, n_features)
    y : array-like of shape (n_rows,)
    C : sequence of float
        In any order; fitted in ascending order.
    sample_weight : array-like of shape (n_rows,), optional

    Returns
    -------
    list of fitted machines, in the order of ``C``

    Raises
    ------
    ValueError
        As ``fit`` does.
    """
    task = clone(estimator).task(X, y, sample_weight)
    machines: dict[int, Machine] = {}
    before: Machine | None = None
    for place in np.argsort(np.asarray(C, dtype=np.float64), kind="stable").tolist():
        machine: Machine = clone(estimator).set_params(C=C[place])
        machine._progress = estimator._progress  # noqa: SLF001 - passed on to the fits
        machines[place] = before = machine.fit_task(task, before)
    return [machines[place] for place in range(len(C))]
