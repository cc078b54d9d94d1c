"""Boosting with abstention: a classifier h and a rejector r, learnt together.

    min over alpha >= 0 of  mean of L(h(x), r(x), y) + beta sum_j alpha_j,
    (h, r) = sum_j alpha_j (h_j, r_j)

over abstention stumps and the constant pair (0, +1), by projected coordinate descent.
Source: Cortes, DeSalvo, Mohri (2016), with the constants and signs that
``solvers.boosting`` derives.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from solvers.boosting.codes import Codes
from solvers.boosting.descent import Path, Settings, descend
from solvers.boosting.finder import Finder
from solvers.boosting.importance import importance
from solvers.boosting.make_rows import make_rows
from solvers.boosting.stumps import Stump
from solvers.boosting.surrogates import Surrogate, calibrated, printed
from solvers.boosting.validation import StumpValidation
from solvers.costs import CostMatrix
from solvers.declarations import TRAINERS
from solvers.rules.base import as_costs
from solvers.scoring.stumps import StumpsScorer
from solvers.trainers.base import MissingValuesMixin, decisions
from solvers.trainers.boosting_rows import (
    FitsRowsInGroups,
    TrainingRows,
    make_codes,
    split_rows,
)
from solvers.trainers.ensemble_payload import stump_payload

__all__ = ["AbstentionBoostingClassifier"]


@dataclass(eq=False, repr=False)
class AbstentionBoostingClassifier(FitsRowsInGroups, MissingValuesMixin, BaseEstimator):
    """Boosted abstention stumps; rejects where ``reject_function`` is not positive.

    Parameters
    ----------
    cost : float, default=0.25
        What a reject costs when an error costs 1, in (0, 1/2): the paper's c, with
        its own constant b. Not used when ``costs`` is given.
    n_rounds : int, default=200
        Steps at most; 0 leaves r = 0 and rejects every row.
    loss : {"exponential", "logistic"}, default="exponential"
    surrogate : {"sum", "max"}, default="sum"
        The paper's L_SB or L_MB. "max" has kinks at which descent by single stumps
        halts, so the steps lower a smooth norm of its two terms (at most 4.5 % above
        the larger one) and the round of the lowest L_MB is kept. Its minimiser rejects
        far more than Bayes' rule: with the paper's b, until the odds of a class exceed
        (2 + b) / (b c^2) and not (1 - c) / c (at c = 1/4: from .962 on, not .75).
    beta : float, default=0.0
        Penalty on the sum of the weights, >= 0.
    step : {"line-search", "closed-form"}, default="line-search"
        "closed-form" is the paper's step where it is defined and lowers the
        objective, the exact line search elsewhere.
    learning_rate : float, default=1.0
        The part of each step that is taken, in (0, 1].
    early_stopping : bool, default=False
        Keep rows apart, stop when their surrogate has not fallen for ``patience``
        rounds, and return to its best round.
    max_bins : int, "auto" or None, default="auto"
        Histogram bins of a feature, 2 to 255; None searches every threshold;
        "auto" does so up to 20,000 rows and takes 255 bins above.
    costs : CostMatrix, mapping of its fields, or None
        Any prices, with the calibrated surrogate of ``solvers.boosting.surrogates``;
        refused with "max", which has none.
    validation_fraction : float, default=0.2
        Part of each class kept apart by early stopping.
    patience : int, default=30
    random_state : int, RandomState instance or None, default=0
        Draws the rows kept apart.
    pos_label : label or None, default=None
        The label of +1. None: the larger one, with a warning where labels are text.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    stumps_ : list of Stump
        Those with weight, the constant pair (feature None) among them.
    weights_ : ndarray of shape (n_stumps,), positive
    objective_path_ : ndarray of shape (n_rounds_ + 1,)
        The objective before the first round and after each; it never rises. With
        "max" the lowest so far.
    validation_path_ : ndarray or None
        The surrogate on the rows kept apart, round by round.
    n_rounds_ : int
    converged_ : bool
        Whether every direction was flat before ``n_rounds``.
    surrogate_ : Surrogate
    importance_ : dict of arrays of shape (n_features,)
        "h", "r" and "rejected": see ``StumpsScorer.importance``.

    Notes
    -----
    A stump sends a missing value (NaN) to the best of its three answers; a feature
    that was never missing in training sends it to reject. A constant feature or one
    that is always missing gives constant answers only, which is what an intercept is.
    """

    cost: float = 0.25
    n_rounds: int = 200
    loss: str = "exponential"
    surrogate: str = "sum"
    beta: float = 0.0
    step: str = "line-search"
    learning_rate: float = 1.0
    early_stopping: bool = False
    max_bins: int | str | None = "auto"
    costs: CostMatrix | Mapping[str, float] | None = None
    validation_fraction: float = 0.2
    patience: int = 30
    random_state: Any = 0
    pos_label: Any = None

    _scorer: StumpsScorer = field(init=False)
    _streams = True

    def _check_parameters(self) -> None:
        TRAINERS["abstention-boosting"].check(self)
        self.surrogate_ = self._make_surrogate()

    def _fit_rows(self, rows: TrainingRows) -> None:
        train, apart = rows, None
        if self.early_stopping:
            train, apart = split_rows(rows, self.validation_fraction, self.random_state)
        codes = make_codes(train, self.max_bins)
        watch = None
        if apart is not None:
            held = (apart.X, apart.y, apart.weight)
            watch = StumpValidation(self.surrogate_, codes, held, self.patience)
        path = descend(
            make_rows(self.surrogate_, codes, train.y, train.weight),
            Finder(codes, rejects=True),
            float(train.weight.sum()),
            self._settings(),
            progress=getattr(self, "_progress", None),
            watch=watch,
        )
        n_rounds = path.best_round if watch is None else watch.patience.best_round
        self.validation_path_ = None if watch is None else np.array(watch.patience.path)
        self._keep(path, codes, n_rounds, train.weight)

    def _make_surrogate(self) -> Surrogate:
        if self.costs is None:
            return printed(self.cost, loss=self.loss, form=self.surrogate)
        if self.surrogate != "sum":
            msg = (
                f"surrogate={self.surrogate!r} has no form for four costs: use"
                ' surrogate="sum" with costs, or give cost alone'
            )
            raise ValueError(msg)
        return calibrated(as_costs(self.costs), loss=self.loss)

    def _settings(self) -> Settings:
        return Settings(
            n_rounds=self.n_rounds,
            beta=self.beta,
            step=self.step,
            learning_rate=self.learning_rate,
            keep_lowest=self.surrogate == "max",
        )

    def _keep(
        self, path: Path, codes: Codes, n_rounds: int, weight: NDArray[np.float64]
    ) -> None:
        """Store what the first rounds of a path amount to."""
        weights = np.array(path.weights(n_rounds))
        stumps = [Stump.of(pair, codes.cuts) for pair in path.pairs]
        self._path = [(stumps[place], eta) for place, eta in path.steps[:n_rounds]]
        self.stumps_ = [s for s, w in zip(stumps, weights, strict=True) if w > 0.0]
        self.weights_ = weights[weights > 0.0]
        self.importance_ = importance(path.pairs, weights, codes, weight, rejects=True)
        parts = (self.stumps_, self.weights_, self.importance_)
        self._scorer = StumpsScorer(stump_payload("stumps", *parts))
        self.objective_path_ = np.array(path.objective[: n_rounds + 1])
        self.n_rounds_ = n_rounds
        self.converged_ = path.converged

    def reject_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return r(x) of each row, shape (n_rows,): the row is rejected where <= 0."""
        return self._pair(X)[1]

    def _pair(self, X: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return h(x) and r(x) of each row."""
        rows = self._checked(X)
        return self._scorer.pair(rows)

    def decide(self, X: ArrayLike) -> NDArray[np.int8]:
        """Return +1 (``pos_label_``), -1 (the other) or 0 (reject) for each row.

        0 exactly where ``reject_function`` is not positive.
        """
        h, r = self._pair(X)
        return decisions(h > 0.0, r > 0.0)

    def staged_decide(self, X: ArrayLike) -> Iterator[NDArray[np.int8]]:
        """Yield ``decide(X)`` as it would be after each round."""
        rows = self._checked(X)
        h, r = np.zeros(len(rows)), np.zeros(len(rows))
        for stump, eta in self._path:
            to_h, to_r = stump.outputs(rows)
            h += eta * to_h
            r += eta * to_r
            yield decisions(h > 0.0, r > 0.0)

    def explain(self, X: ArrayLike) -> dict[str, Any]:
        """Return what each feature adds to h and r of each row, as ``StumpsScorer``."""
        rows = self._checked(X)
        return self._scorer.explain(rows)
