"""Two-step boosting (TSB): AdaBoost, then a band of |h| <= t that is rejected.

The threshold t is the one of least cost on rows kept apart, over every value that
changes a decision and 0, so that "no rejection" can be chosen: the grid of the paper
(from 0.08) could not, which alone makes it look bad where rejects are dear.
Source: Cortes, DeSalvo, Mohri (2016), the TSB baseline of section 5.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.costs import CostMatrix
from solvers.declarations import BOOSTED, KEPT_APART
from solvers.parameters import check
from solvers.rules.base import as_costs
from solvers.rules.expected_cost import SymmetricRule
from solvers.trainers.adaboost import StumpScore
from solvers.trainers.base import decisions
from solvers.trainers.boosting_rows import FitsRowsInGroups, TrainingRows, split_rows

__all__ = ["TwoStepBoostingClassifier"]


@dataclass(eq=False, repr=False)
class TwoStepBoostingClassifier(FitsRowsInGroups, StumpScore):
    """AdaBoost, and a reject threshold on the size of its score.

    Parameters
    ----------
    costs : CostMatrix, mapping of its fields, or None
        None: an error costs 1, a reject 0.25.
    n_rounds : int, default=200
    learning_rate : float, default=1.0
    max_bins : int, "auto" or None, default="auto"
        As in ``AdaBoostStumpClassifier``.
    validation_fraction : float, default=0.25
        Part of each class that chooses the threshold and is not trained on. When a
        class is too small to give a row, the training rows choose it.
    random_state, pos_label
        As for ``AbstentionBoostingClassifier``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    threshold_ : float
        t; 0 rejects only the rows with no score at all, inf rejects everything.
    stumps_, weights_, objective_path_, n_rounds_, importance_
        As in ``AdaBoostStumpClassifier``.
    """

    costs: CostMatrix | Mapping[str, float] | None = None
    n_rounds: int = 200
    learning_rate: float = 1.0
    max_bins: int | str | None = "auto"
    validation_fraction: float = 0.25
    random_state: Any = 0
    pos_label: Any = None

    def _check_parameters(self) -> None:
        as_costs(self.costs)
        check(self, (*BOOSTED, KEPT_APART))

    def _fit_rows(self, rows: TrainingRows) -> None:
        train, apart = split_rows(rows, self.validation_fraction, self.random_state)
        self._boost(train)
        chosen_on = train if apart is None else apart
        rule = SymmetricRule(as_costs(self.costs))
        rule.fit(self._scorer.score(chosen_on.X), chosen_on.y, chosen_on.weight)
        self.threshold_ = float(rule.upper_)

    def reject_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return |h(x)| - t of each row: the row is rejected where <= 0."""
        return np.abs(self.positive_score(X)) - self.threshold_

    def decide(self, X: ArrayLike) -> NDArray[np.int8]:
        """Return +1 (``pos_label_``), -1 (the other) or 0 (reject) for each row."""
        h = self.positive_score(X)
        return decisions(h > 0.0, np.abs(h) - self.threshold_ > 0.0)
