"""Settings of kernel machines chosen by cross-validation inside a training part.

    out-of-fold scores of every (gamma, C)  ->  a figure of each  ->  the least one

Ties go to the first setting, which is the smoothest: gammas and C are listed in
ascending order.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from experiments.loading import Floats, Rows
from solvers import c_path

__all__ = ["Setting", "best_setting", "fitted", "out_of_fold_scores"]


class Setting(NamedTuple):
    """What is chosen."""

    gamma: float
    C: float


def out_of_fold_scores(
    machine: Any,
    rows: Rows,
    gammas: Sequence[float],
    C: Sequence[float],
    *,
    folds: int = 5,
    seed: int = 0,
) -> dict[Setting, Floats]:
    """Return each setting's scores of rows that its machines did not see.

    Parameters
    ----------
    machine : HingeSVC or DoubleHingeSVC
    rows : the training part
    gammas, C : sequences of float, ascending
    folds, seed : int
        Stratified, shuffled; the same folds for every setting.
    """
    X, y = rows
    scores = {Setting(g, c): np.empty(len(y)) for g in gammas for c in C}
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for train, apart in splitter.split(X, y):
        for gamma in gammas:
            candidate = clone(machine).set_params(gamma=gamma)
            with catch_warnings():
                # A setting too rough to be solved to the end is judged as it stands.
                simplefilter("ignore", ConvergenceWarning)
                path = c_path(candidate, X[train], y[train], C)
            for value, fit in zip(C, path, strict=True):
                scores[Setting(gamma, value)][apart] = fit.decision_function(X[apart])
    return scores


def best_setting(
    scores: dict[Setting, Floats], figure: Callable[[Floats], float]
) -> Setting:
    """Return the setting whose out-of-fold scores have the least figure."""
    return min(scores, key=lambda setting: figure(scores[setting]))


def fitted(machine: Any, rows: Rows, setting: Setting) -> Any:
    """Return the machine with that setting, fitted on the whole training part."""
    return clone(machine).set_params(**setting._asdict()).fit(*rows)
