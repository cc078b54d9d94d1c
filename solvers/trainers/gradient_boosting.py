"""Gradient-boosted trees on the log loss: scikit-learn's, exported as plain data.

A thin wrapper around HistGradientBoostingClassifier with fixed defaults that do well
on small and large tables (shallow trees, early stopping on the log loss). Its score
is the log-odds; which rows are rejected is the matter of a rule on top. The export
repeats the fitted trees' comparisons and sums, so that decisions are the same bits
without scikit-learn.
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from solvers.errors import Interrupted
from solvers.scoring.histogram_trees import HistogramTreesScorer
from solvers.trainers.base import RejectOptionMixin
from solvers.trainers.boosting_rows import read_rows
from solvers.trainers.boosting_settings import check_boosting, check_count
from solvers.trainers.ranges import check_within

__all__ = ["GradientBoostingRejectClassifier", "histogram_trees_payload"]

_ROUNDS_AT_ONCE = 20
_LARGE = 1_000_000


class GradientBoostingRejectClassifier(RejectOptionMixin, BaseEstimator):
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
        Keep rows apart and stop when their log loss has not fallen for ``patience``
        rounds. Off when either class has fewer than 10 rows.
    validation_fraction : float, default=0.2
    patience : int, default=30
    max_bins : int, default=255
    categorical_features : array-like of column indices or a mask, default=None
        Columns whose numbers are codes of categories, at most 255 of them each.
    random_state : int, RandomState instance or None, default=0

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    model_ : HistGradientBoostingClassifier
    n_rounds_ : int
    """

    def __init__(  # noqa: PLR0913, PLR0917 - scikit-learn's constructors are flat
        self,
        n_rounds: int = 500,
        learning_rate: float = 0.1,
        max_depth: int = 3,
        min_samples_leaf: int = 5,
        l2_regularization: float = 1.0,
        early_stopping: bool = True,
        validation_fraction: float = 0.2,
        patience: int = 30,
        max_bins: int = 255,
        categorical_features: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the trees.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            NaN is a missing value.
        y : array-like of shape (n_rows,)
            Two labels; the larger one is +1.
        sample_weight : array-like of shape (n_rows,), optional
            Each >= 0; weight 0 equals no row.

        Returns
        -------
        self
        """
        check_boosting(self)
        check_count("n_rounds", self.n_rounds, least=1)
        check_count("max_depth", self.max_depth, least=1)
        check_within("l2_regularization", self.l2_regularization, above=-1e-300)
        rows, self.classes_ = read_rows(self, X, y, sample_weight)
        smallest = min(np.sum(rows.y > 0), np.sum(rows.y < 0))
        model = HistGradientBoostingClassifier(
            learning_rate=self.learning_rate,
            max_iter=self.n_rounds,
            max_leaf_nodes=None,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            l2_regularization=self.l2_regularization,
            max_bins=self.max_bins,
            categorical_features=self.categorical_features,
            early_stopping=bool(self.early_stopping and smallest >= 10),
            scoring="loss",
            validation_fraction=self.validation_fraction,
            n_iter_no_change=self.patience,
            tol=0.0,
            random_state=self.random_state,
        )
        # scikit-learn cannot bin a column without any value; a constant is never split.
        empty = np.isnan(rows.X).all(axis=0)
        values = np.where(empty, 0.0, rows.X) if empty.any() else rows.X
        # Equal weights are left out: the trees' sums are then counts.
        weight = None if (rows.weight == 1.0).all() else rows.weight
        # Threads cost more than they save on small tables, and most on a busy machine.
        threads = 1 if rows.X.size < _LARGE else None
        with threadpool_limits(limits=threads, user_api="openmp"):
            _fit_in_parts(
                model,
                lambda: model.fit(values, rows.y, weight),
                getattr(self, "_progress", None),
            )
        self.model_ = model
        self.n_rounds_ = int(model.n_iter_)
        self._scorer = HistogramTreesScorer(histogram_trees_payload(model))
        return self

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the log-odds of ``classes_[1]`` for each row, shape (n_rows,)."""
        check_is_fitted(self)
        rows = validate_data(
            self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        return self._scorer.score(rows)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n_rows, 2)."""
        odds = self.decision_function(X)
        small = np.exp(-np.abs(odds))
        p = np.where(odds >= 0.0, 1.0, small) / (1.0 + small)
        return np.stack((1.0 - p, p), axis=1)

    def scorer_payload(self) -> dict[str, Any]:
        """Return the fitted model as plain data."""
        check_is_fitted(self)
        return self._scorer.payload()


def _fit_in_parts(
    model: HistGradientBoostingClassifier,
    fit: Callable[[], object],
    progress: Callable[[float, str], bool] | None,
) -> None:
    """Fit a few rounds at a time, so that progress is told and a stop is obeyed.

    A warm start continues from the same sums and the same split, so the parts
    together are the model that one fit would have given.
    """
    if progress is None:
        fit()
        return
    n_rounds = model.max_iter
    model.set_params(warm_start=True)
    for done in range(0, n_rounds, _ROUNDS_AT_ONCE):
        said = f"round {done + 1} of {n_rounds}"
        if not progress(done / n_rounds, said):
            raise Interrupted(said)
        model.set_params(max_iter=min(done + _ROUNDS_AT_ONCE, n_rounds))
        fit()
        if model.n_iter_ < model.max_iter:
            break
    model.set_params(max_iter=n_rounds, warm_start=False)


def histogram_trees_payload(model: HistGradientBoostingClassifier) -> dict[str, Any]:
    """Return a fitted two-class model as the plain data that scores it.

    Parameters
    ----------
    model : HistGradientBoostingClassifier
        Fitted on numbers; categorical columns hold numbers too.

    Returns
    -------
    dict
        See ``HistogramTreesScorer``.
    """
    columns, categories = _columns(model)
    grown = model._predictors  # noqa: SLF001 - fitted trees have no public form
    base = model._baseline_prediction  # noqa: SLF001 - nor has what they add to
    trees = [of_round[0] for of_round in grown]
    nodes = np.concatenate([tree.nodes for tree in trees])
    sizes = np.array([len(tree.nodes) for tree in trees])
    starts = np.cumsum(sizes) - sizes
    offset = np.repeat(starts, sizes)
    leaf = nodes["is_leaf"].astype(bool)
    by_category = nodes["is_categorical"].astype(bool) & ~leaf
    tables = np.cumsum([0, *(len(tree.raw_left_cat_bitsets) for tree in trees)])
    table_offset = np.repeat(tables[:-1], sizes)
    bitsets = np.concatenate([tree.raw_left_cat_bitsets for tree in trees])
    bits = (bitsets[:, :, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)
    return {
        "kind": "histogram-gradient-boosting",
        "n_features": int(model.n_features_in_),
        "baseline": float(np.ravel(base)[0]),
        "categories": categories,
        "trees": {
            "feature": columns[nodes["feature_idx"]].astype(np.int32),
            "threshold": nodes["num_threshold"].astype(np.float64),
            "left": np.where(leaf, -1, nodes["left"] + offset).astype(np.int64),
            "right": np.where(leaf, -1, nodes["right"] + offset).astype(np.int64),
            "missing_left": nodes["missing_go_to_left"].astype(bool),
            "value": nodes["value"].astype(np.float64),
            "category": np.where(by_category, nodes["bitset_idx"] + table_offset, -1),
            "left_codes": bits.reshape(-1, 256).astype(bool),
            "roots": starts.astype(np.int64),
        },
    }


def _columns(
    model: HistGradientBoostingClassifier,
) -> tuple[NDArray[np.int64], list[tuple[int, NDArray[np.float64]]]]:
    """Return the table's column of each of the model's, and the categories' values.

    The model moves its categorical columns ahead of the others.
    """
    n_features = model.n_features_in_
    if model.is_categorical_ is None:
        return np.arange(n_features), []
    of_category = np.flatnonzero(model.is_categorical_)
    columns = np.concatenate((of_category, np.flatnonzero(~model.is_categorical_)))
    before = model._preprocessor  # noqa: SLF001 - nor have the categories
    encoder = before.named_transformers_["encoder"]
    categories = []
    for column, values in zip(of_category, encoder.categories_, strict=True):
        numbers = np.asarray(values, dtype=np.float64)
        categories.append((int(column), numbers[~np.isnan(numbers)]))
    return columns, categories
