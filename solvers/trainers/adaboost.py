"""AdaBoost over decision stumps: the score that confidence-based rejection starts from.

    min over alpha >= 0 of  sum_i s_i exp(-y_i h(x_i)),    h = sum_j alpha_j h_j

by coordinate descent with the exact step 1/2 log((1 - error) / error), which is
AdaBoost (Freund and Schapire 1997). It is the descent of ``solvers.boosting`` on
stumps that never reject, and as fast.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from solvers.boosting.descent import Settings, descend
from solvers.boosting.exponential_rows import ExponentialRows
from solvers.boosting.finder import Finder
from solvers.boosting.importance import importance
from solvers.boosting.stumps import Stump
from solvers.boosting.surrogates import Surrogate
from solvers.declarations import TRAINERS
from solvers.scoring.stumps import AdaBoostStumpsScorer
from solvers.trainers.base import MissingValuesMixin
from solvers.trainers.boosting_rows import FitsRows, TrainingRows, make_codes
from solvers.trainers.ensemble_payload import stump_payload

__all__ = ["AdaBoostStumpClassifier", "StumpScore"]

_PLAIN = Surrogate("exponential", "sum", 1.0, 1.0, 0.0, 0.0, 1.0)


class StumpScore(MissingValuesMixin, BaseEstimator):
    """What classifiers with an AdaBoost score share: the score and its explanation."""

    n_rounds: int
    learning_rate: float
    max_bins: int | str | None
    _scorer: AdaBoostStumpsScorer

    def _boost(self, rows: TrainingRows) -> None:
        """Run AdaBoost and keep its result."""
        codes = make_codes(rows, self.max_bins)
        path = descend(
            ExponentialRows(_PLAIN, codes, rows.y, rows.weight),
            Finder(codes, rejects=False),
            float(rows.weight.sum()),
            Settings(self.n_rounds, learning_rate=self.learning_rate, rejects=False),
            progress=getattr(self, "_progress", None),
        )
        self.stumps_ = [Stump.of(pair, codes.cuts) for pair in path.pairs]
        self.weights_ = np.array(path.weights())
        self.objective_path_ = np.array(path.objective)
        self.n_rounds_ = len(path.steps)
        self.importance_ = importance(
            path.pairs, self.weights_, codes, rows.weight, rejects=False
        )
        parts = (self.stumps_, self.weights_, self.importance_)
        self._scorer = AdaBoostStumpsScorer(stump_payload("adaboost-stumps", *parts))

    def explain(self, X: ArrayLike) -> dict[str, Any]:
        """Return what each feature adds to h of each row, (n_rows, n_features)."""
        rows = self._checked(X)
        return self._scorer.explain(rows)


@dataclass(eq=False, repr=False)
class AdaBoostStumpClassifier(FitsRows, StumpScore):
    """AdaBoost on stumps; ``decide`` never rejects, a rule comes on top.

    Parameters
    ----------
    n_rounds : int, default=200
    learning_rate : float, default=1.0
        The part of each step that is taken, in (0, 1].
    max_bins : int, "auto" or None, default="auto"
        Histogram bins of a feature, 2 to 255; None searches every threshold;
        "auto" does so up to 20,000 rows.
    pos_label
        As for ``AbstentionBoostingClassifier``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    stumps_ : list of Stump
    weights_ : ndarray of shape (n_stumps,)
    objective_path_ : ndarray of shape (n_rounds_ + 1,)
        The mean exponential loss.
    n_rounds_ : int
    importance_ : dict
        "h": how far each feature moves the score, shape (n_features,).

    Notes
    -----
    A stump sends NaN to the better of its two answers, and to no answer where the
    feature was never missing in training.
    """

    n_rounds: int = 200
    learning_rate: float = 1.0
    max_bins: int | str | None = "auto"
    pos_label: Any = None

    _streams = True

    def _check_parameters(self) -> None:
        TRAINERS["adaboost"].check(self)

    def _fit_rows(self, rows: TrainingRows) -> None:
        self._boost(rows)
