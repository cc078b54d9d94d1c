"""Boosted trees of two outputs: the pair (h, r) on a calibrated surrogate.

Beyond Cortes et al. (2016): one tree a round moves both outputs by Newton's step of
the surrogate (``solvers.boosting.tree_descent``). Two ways to reject: r(x) <= 0, or
Chow's rule on the probability that the pair implies, which rejected better in
experiments, since r's zero lies near its lowest values.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from solvers.boosting.codes import Codes, histogram_codes
from solvers.boosting.surrogates import calibrated
from solvers.boosting.tree_descent import (
    TreeBoosting,
    TreePath,
    best_constant,
    boost_trees,
)
from solvers.boosting.tree_importance import measured_rows, tree_importance
from solvers.boosting.validation import TreeValidation
from solvers.costs import CostMatrix
from solvers.declarations import TRAINERS
from solvers.errors import UnknownNameError
from solvers.rules.base import as_costs
from solvers.scoring.abstention_trees import AbstentionTreesScorer
from solvers.trainers.base import MissingValuesMixin, decisions
from solvers.trainers.boosting_rows import FitsRowsInGroups, TrainingRows, split_rows
from solvers.trainers.ensemble_payload import tree_arrays

__all__ = ["AbstentionTreeBoostingClassifier"]

RULES = ("embedded", "chow")


@dataclass(eq=False, repr=False)
class AbstentionTreeBoostingClassifier(
    FitsRowsInGroups, MissingValuesMixin, BaseEstimator
):
    """Second-order boosting of a classifier h and a rejector r.

    Parameters
    ----------
    costs : CostMatrix, mapping of its fields, or None
        None: an error costs 1, a reject 0.25.
    n_rounds : int, default=500
        Trees at most.
    loss : {"logistic", "exponential"}, default="logistic"
    max_depth : int, default=2
        1 to 8.
    learning_rate : float, default=0.1
    l2_regularization : float, default=1.0
        Added to the curvature of a leaf, > 0; the costs are scaled to a geometric
        mean of 1 for it, so that their currency does not matter.
    min_leaf_weight : float, default=5.0
        Sample weight of a leaf at least: rows, when none is given.
    rule : {"embedded", "chow"}, default="embedded"
        What ``decide`` rejects: r(x) <= 0, or probabilities where the costs say so.
    early_stopping : bool, default=True
        Keep rows apart, stop when their surrogate has not fallen for ``patience``
        rounds, and return to its best round. Off when either class is too small to
        give a row.
    validation_fraction : float, default=0.2
    patience : int, default=50
    max_bins : int or "auto", default="auto"
        Histogram bins of a feature, 2 to 255 ("auto").
    random_state, pos_label
        As for ``AbstentionBoostingClassifier``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    costs_ : CostMatrix
    surrogate_ : Surrogate
    n_rounds_ : int
    objective_path_ : ndarray of shape (n_rounds_ + 1,)
        Mean surrogate on the training rows, before the first tree and after each.
    validation_path_ : ndarray or None
        The same on the rows kept apart, for every round that was tried.
    """

    costs: CostMatrix | Mapping[str, float] | None = None
    n_rounds: int = 500
    loss: str = "logistic"
    max_depth: int = 2
    learning_rate: float = 0.1
    l2_regularization: float = 1.0
    min_leaf_weight: float = 5.0
    rule: str = "embedded"
    early_stopping: bool = True
    validation_fraction: float = 0.2
    patience: int = 50
    max_bins: int | str = "auto"
    random_state: Any = 0
    pos_label: Any = None

    _scorer: AbstentionTreesScorer = field(init=False)
    _streams = True

    def _check_parameters(self) -> None:
        TRAINERS["abstention-trees"].check(self)
        if self.rule not in RULES:
            kind = "rule of these trees"
            raise UnknownNameError(kind, self.rule, RULES)
        self.costs_ = as_costs(self.costs)
        self.surrogate_ = calibrated(self.costs_, loss=self.loss)

    def _fit_rows(self, rows: TrainingRows) -> None:
        train, apart = rows, None
        if self.early_stopping:
            train, apart = split_rows(rows, self.validation_fraction, self.random_state)
        bins = 255 if self.max_bins == "auto" else int(self.max_bins)
        codes = histogram_codes(train.X, train.weight, bins)
        watch = None
        if apart is not None:
            watch = TreeValidation(
                self.surrogate_,
                codes,
                (apart.X, apart.y, apart.weight),
                self.patience,
                best_constant(self.surrogate_, train.y, train.weight),
            )
        path = boost_trees(
            self.surrogate_,
            codes,
            train.y,
            train.weight,
            self._settings(),
            progress=getattr(self, "_progress", None),
            watch=watch,
        )
        n_rounds = len(path.trees) if watch is None else watch.patience.best_round
        self.validation_path_ = None if watch is None else np.array(watch.patience.path)
        self.n_rounds_ = n_rounds
        self.objective_path_ = np.array(path.objective[: n_rounds + 1])
        self._scorer = AbstentionTreesScorer(self._payload(path, codes))
        self._measured = rows.take(measured_rows(len(rows.y), n_rounds))

    @property
    def importance_(self) -> dict[str, NDArray[np.float64]]:
        """What each feature does: "h", "r" and "rejected", see ``tree_importance``.

        Measured on training rows, at most 2,000 of them, evenly spaced.
        """
        check_is_fitted(self)
        seen, trees = self._measured, self._scorer.payload()["trees"]
        r = self._scorer.pair(seen.X)[1]
        return tree_importance(trees, seen.X, seen.weight, r)

    def _settings(self) -> TreeBoosting:
        return TreeBoosting(
            n_rounds=self.n_rounds,
            learning_rate=self.learning_rate,
            max_depth=self.max_depth,
            penalty=self.l2_regularization,
            min_leaf_weight=self.min_leaf_weight,
        )

    def _payload(self, path: TreePath, codes: Codes) -> dict[str, Any]:
        trees = path.trees[: self.n_rounds_]
        return {
            "kind": "abstention-trees",
            "n_features": int(self.n_features_in_),
            "base": path.base,
            "loss": self.loss,
            "log_cost_ratio": self.surrogate_.log_cost_ratio,
            "trees": tree_arrays(trees, codes),
        }

    def _pair(self, X: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rows = self._checked(X)
        return self._scorer.pair(rows)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities that (h, r) imply, shape (n_rows, 2)."""
        p = self._probability(X)
        return self._in_order_of_classes(1.0 - p, p)

    def _probability(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of +1 that (h, r) imply, shape (n_rows,)."""
        rows = self._checked(X)
        return np.asarray(self._scorer.probability(rows))

    def reject_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return r(x) of each row: it is rejected where this is not positive.

        With ``rule="chow"`` how far the implied probability lies outside the band of
        probabilities where rejecting is cheapest.
        """
        if self.rule == "embedded":
            return self._pair(X)[1]
        p = self._probability(X)
        return np.asarray(np.maximum(p - self.costs_.p_plus, self.costs_.p_minus - p))

    def decide(self, X: ArrayLike) -> NDArray[np.int8]:
        """Return +1 (``pos_label_``), -1 (the other) or 0 (reject) for each row.

        0 exactly where ``reject_function`` is not positive.
        """
        kept = self.reject_function(X) > 0.0
        if self.rule == "embedded":
            positive = self.positive_score(X) > 0.0
        else:
            positive = self._probability(X) > self.costs_.p_plus
        return decisions(positive, kept)
