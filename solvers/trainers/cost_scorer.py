"""What decisions cost, as scikit-learn's cross-validation and searches count it.

    cross_val_score(model, X, y, scoring=make_cost_scorer(costs))
    GridSearchCV(model, grid, scoring=make_cost_scorer(costs))

A pipeline and a search hand on what scikit-learn knows, and ``decide`` is none of that:
`decide` finds it in them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.costs import CostMatrix
from solvers.metrics import expected_cost
from solvers.rules.base import as_costs

__all__ = ["CostScorer", "decide", "make_cost_scorer"]


def decide(estimator: Any, X: Any) -> NDArray[np.int8]:
    """Return the decisions of a fitted classifier, inside of what it may be.

    Parameters
    ----------
    estimator : fitted classifier, Pipeline or search
        Its last step has ``decide``.
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
        As the estimator takes it.

    Returns
    -------
    ndarray of int8, shape (n_rows,)
        +1, -1 or 0 (reject).

    Raises
    ------
    TypeError
        When nothing in it can decide.
    """
    inner, rows = _unwrapped(estimator, X)
    return np.asarray(inner.decide(rows), dtype=np.int8)


def make_cost_scorer(costs: CostMatrix | Mapping[str, float]) -> "CostScorer":
    """Return a scorer: minus the mean cost of the decisions, so that more is better.

    Parameters
    ----------
    costs : CostMatrix or mapping with its four fields

    Raises
    ------
    InvalidCostsError
        When the costs are none.
    """
    return CostScorer(as_costs(costs))


@dataclass(frozen=True, slots=True)
class CostScorer:
    """Score a fitted classifier by what its decisions cost; see `make_cost_scorer`."""

    costs: CostMatrix

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return minus the mean cost of the decisions on labelled rows.

        Parameters
        ----------
        estimator : fitted classifier, Pipeline or search
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Labels as the classifier was fitted with.
        sample_weight : array-like of shape (n_rows,), optional
        """
        inner, rows = _unwrapped(estimator, X)
        signs = np.where(np.asarray(y) == inner.pos_label_, 1, -1)
        return -expected_cost(signs, inner.decide(rows), self.costs, sample_weight)


def _unwrapped(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return what decides, and the rows as it takes them."""
    if hasattr(estimator, "decide"):
        return estimator, X
    if hasattr(estimator, "best_estimator_"):
        return _unwrapped(estimator.best_estimator_, X)
    if hasattr(estimator, "steps"):
        rows = estimator[:-1].transform(X) if len(estimator.steps) > 1 else X
        return _unwrapped(estimator.steps[-1][1], rows)
    msg = (
        f"{type(estimator).__name__} has no decide: put a classifier with a reject"
        " option at the end, such as RejectOptionClassifier(estimator, rule)"
    )
    raise TypeError(msg)
