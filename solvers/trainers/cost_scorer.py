"""What decisions cost, as scikit-learn's cross-validation and searches count it.

    cross_val_score(model, X, y, scoring=make_cost_scorer(costs))
    GridSearchCV(model, grid, scoring=make_cost_scorer(costs))

Where rows have prices of their own, ``costs`` is a function of the rows, since each
fold has others. The decisions are then those that are cheapest at each row's prices.

A pipeline or a search has no ``decide`` method. The function `decide` finds the
classifier inside of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.costs import CostMatrix, RowCosts
from solvers.metrics import expected_cost
from solvers.rules.base import as_costs
from solvers.wrapped import unwrapped

__all__ = ["CostScorer", "decide", "make_cost_scorer"]


def decide(estimator: Any, X: Any) -> NDArray[np.int8]:
    """Return the decisions of a fitted classifier, or of the one inside an estimator.

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
    inner, rows = unwrapped(estimator, X)
    return np.asarray(inner.decide(rows), dtype=np.int8)


PricesOf = Callable[[Any], RowCosts]


def make_cost_scorer(
    costs: CostMatrix | Mapping[str, float] | PricesOf,
) -> "CostScorer":
    """Return a scorer: minus the mean cost of the decisions, so that more is better.

    Parameters
    ----------
    costs : CostMatrix, mapping with its four fields, or callable
        The callable returns the `RowCosts` of the rows that it is given; the estimator
        then has ``probability`` or ``predict_proba``, and its own rule has no part.

    Raises
    ------
    InvalidCostsError
        When the costs are none.
    """
    return CostScorer(costs if callable(costs) else as_costs(costs))


@dataclass(frozen=True, slots=True)
class CostScorer:
    """Score a fitted classifier by what its decisions cost; see `make_cost_scorer`."""

    costs: CostMatrix | PricesOf

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
        inner, rows = unwrapped(estimator, X)
        signs = np.where(np.asarray(y) == inner.pos_label_, 1, -1)
        if isinstance(self.costs, CostMatrix):
            return -expected_cost(signs, inner.decide(rows), self.costs, sample_weight)
        costs = self.costs(X)
        decisions = costs.decide(_probability(inner, rows))
        return -expected_cost(signs, decisions, costs, sample_weight)


def _probability(inner: Any, rows: Any) -> NDArray[np.float64]:
    """Return the probability of +1 that a classifier gives each row."""
    if hasattr(inner, "probability"):
        return np.asarray(inner.probability(rows), np.float64)
    if hasattr(inner, "predict_proba"):
        column = list(inner.classes_).index(inner.pos_label_)
        return np.asarray(inner.predict_proba(rows)[:, column], np.float64)
    msg = (
        f"{type(inner).__name__} gives no probability to decide by at prices of rows:"
        " put it into RejectOptionClassifier(estimator, rule)"
    )
    raise TypeError(msg)
