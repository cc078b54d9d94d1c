"""Gradient-boosted trees on the log loss: scikit-learn's, exported as plain data.

A thin wrapper around HistGradientBoostingClassifier with fixed defaults that do well
on small and large tables (shallow trees, early stopping on the log loss). Its score
is the log-odds; which rows are rejected is the matter of a rule on top. The export
repeats the fitted trees' comparisons and sums, so that decisions are the same bits
without scikit-learn.

Rows for early stopping are kept apart here and not inside scikit-learn, which knows no
groups and fails on a column that has no value among the rows that are trained on.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from solvers.boosting.tree_importance import measured_rows, tree_importance
from solvers.declarations import TRAINERS
from solvers.errors import Interrupted
from solvers.scoring.histogram_trees import HistogramTreesScorer
from solvers.trainers.base import LogOddsMixin, MissingValuesMixin
from solvers.trainers.boosting_rows import FitsRowsInGroups, TrainingRows, split_rows
from solvers.trainers.histogram_trees import histogram_trees_payload

__all__ = ["GradientBoostingRejectClassifier"]

_SAMPLED = 200_000
"""scikit-learn looks for its bins in that many rows, drawn with replacement."""

_FEWEST = 20
_LARGE = 1_000_000


@dataclass(eq=False, repr=False)
class GradientBoostingRejectClassifier(
    FitsRowsInGroups, MissingValuesMixin, LogOddsMixin, BaseEstimator
):
    """Boosted trees of the log loss; ``decide`` never rejects, a rule comes on top.

    Parameters
    ----------
    n_rounds : int, default=500
        Trees at most, at least 1.
    learning_rate : float, default=0.1
    max_depth : int, default=3
    min_samples_leaf : int, default=5
    l2_regularization : float, default=1.0
    early_stopping : bool, default=True
        Keep rows apart, stop when their log loss has not fallen for ``patience``
        rounds, and return to its best round. Off when either class has fewer than 10
        rows.
    validation_fraction : float, default=0.2
    patience : int, default=30
    max_bins : int, default=255
    categorical_features : array-like of column indices or a mask, default=None
        Columns whose numbers are codes of categories, at most 255 of them each.
    random_state, pos_label
        As for ``AbstentionBoostingClassifier``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    model_ : HistGradientBoostingClassifier
    n_rounds_ : int
        Trees that are kept; 0 where no tree helps the rows kept apart.
    validation_path_ : ndarray or None
        The log loss of the rows kept apart, before the first round and after each.
    """

    n_rounds: int = 500
    learning_rate: float = 0.1
    max_depth: int = 3
    min_samples_leaf: int = 5
    l2_regularization: float = 1.0
    early_stopping: bool = True
    validation_fraction: float = 0.2
    patience: int = 30
    max_bins: int = 255
    categorical_features: Any = None
    random_state: Any = 0
    pos_label: Any = None

    _scorer: HistogramTreesScorer = field(init=False)

    def _check_parameters(self) -> None:
        TRAINERS["gradient-boosting"].check(self)

    def _fit_rows(self, rows: TrainingRows) -> None:
        train, apart = rows, None
        if self.early_stopping and min(np.sum(rows.y > 0), np.sum(rows.y < 0)) >= 10:
            train, apart = split_rows(rows, self.validation_fraction, self.random_state)
        model = self._trees(early_stopping=apart is not None)
        # Equal weights are left out: the trees' sums are then counts.
        weighted = not (rows.weight == 1.0).all()
        idle = _idle_columns(train)
        held: dict[str, Any] = {}
        if apart is not None:
            held = {"X_val": _without(apart.X, idle), "y_val": apart.y}
            if weighted:
                held["sample_weight_val"] = apart.weight
        # Threads cost more than they save on small tables, and most on a busy machine.
        threads = 1 if rows.X.size < _LARGE else None
        with (
            threadpool_limits(limits=threads, user_api="openmp"),
            _reporting(model, getattr(self, "_progress", None)),
        ):
            values = _without(train.X, idle)
            model.fit(values, train.y, train.weight if weighted else None, **held)
        self.validation_path_ = None
        if apart is not None:
            self.validation_path_ = -model.validation_score_
            best = int(np.argmin(self.validation_path_))
            del model._predictors[best:]  # noqa: SLF001 - fitted trees have no public form
        self.model_ = model
        self.n_rounds_ = int(model.n_iter_)
        self._scorer = HistogramTreesScorer(histogram_trees_payload(model))
        self._measured = rows.take(measured_rows(len(rows.y), self.n_rounds_))

    def _trees(self, *, early_stopping: bool) -> HistGradientBoostingClassifier:
        """Return the peer's trees, unfitted, with these parameters."""
        return HistGradientBoostingClassifier(
            learning_rate=self.learning_rate,
            max_iter=self.n_rounds,
            max_leaf_nodes=None,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            l2_regularization=self.l2_regularization,
            max_bins=self.max_bins,
            categorical_features=self.categorical_features,
            early_stopping=early_stopping,
            scoring="loss",
            n_iter_no_change=self.patience,
            tol=0.0,
            random_state=self.random_state,
        )

    @property
    def importance_(self) -> dict[str, NDArray[np.float64]]:
        """What each feature does to the log-odds, as "h": see ``tree_importance``.

        Measured on training rows, at most 2,000 of them, evenly spaced.
        """
        check_is_fitted(self)
        seen, trees = self._measured, self._scorer.payload()["trees"]
        return tree_importance(trees, self._scorer.coded(seen.X), seen.weight, None)


def _idle_columns(rows: TrainingRows) -> NDArray[np.bool_]:
    """Return the columns with too few values to be binned.

    scikit-learn fails on a column without a value among the rows in which it looks for
    bins. Above ``_SAMPLED`` rows it draws those: a column with fewer than ``_FEWEST``
    values to be expected among them is left out, known as it is in 1 of 10,000 rows.
    """
    missing = np.isnan(rows.X)
    if len(rows.X) <= _SAMPLED:
        return np.asarray(missing.all(axis=0))
    known = rows.weight @ ~missing / rows.weight.sum()
    return np.asarray(known * _SAMPLED < _FEWEST)


def _without(X: NDArray[np.float64], idle: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return X with idle columns constant: a constant is never split."""
    return np.where(idle, 0.0, X) if idle.any() else X


@contextmanager
def _reporting(
    model: HistGradientBoostingClassifier,
    progress: Callable[[float, str], bool] | None,
) -> Iterator[None]:
    """Tell progress before each round of a fit; stop it by raising Interrupted.

    The fit has no callback, but it asks its loss for gradients once a round.
    """
    if progress is None:
        yield
        return
    make = model._get_loss  # noqa: SLF001 - the fit's only door to each round
    n_rounds, made = model.max_iter, []

    def make_reporting(sample_weight: Any) -> Any:
        loss = make(sample_weight)
        gradients, done = loss.gradient_hessian, count()

        def reporting(**arguments: Any) -> Any:
            begun = next(done)
            message = f"round {begun + 1} of {n_rounds}"
            if not progress(begun / n_rounds, message):
                raise Interrupted(message)
            return gradients(**arguments)

        loss.gradient_hessian = reporting
        made.append(loss)
        return loss

    model._get_loss = make_reporting  # noqa: SLF001
    try:
        yield
    finally:
        del model._get_loss  # noqa: SLF001
        # What stays must be sendable to other processes.
        for loss in made:
            del loss.gradient_hessian
