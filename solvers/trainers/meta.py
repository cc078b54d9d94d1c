"""Any classifier with any reject rule.

    split the rows -> score each part by a model of the others -> fit the rule
    on those scores -> refit the model on all rows

The rule sees out-of-fold scores only: thresholds chosen on a model's own training rows
are too bold. A rule that makes a promise is different: the promise holds for one model
on rows that it never saw, so a part is kept apart, and nothing is refitted.
"""

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, assert_all_finite, get_tags
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    indexable,
    validate_data,
)

from solvers.calibration import Calibration, fit_calibration
from solvers.rules.registry import make_rule
from solvers.trainers.alike import hang_together
from solvers.trainers.base import RejectOptionMixin
from solvers.trainers.outside_scores import (
    FitRows,
    check_scorer,
    class_weight_of,
    outside_scores,
    positive_of,
    rounds_in_common,
    scores_of,
    takes,
    with_pos_label,
)
from solvers.trainers.row_splits import fold_split, keys_of, promise_split
from solvers.trainers.targets import binary_targets

__all__ = ["RejectOptionClassifier"]

Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class RejectOptionClassifier(RejectOptionMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier that may reject, from one that may not.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Has ``decision_function`` or ``predict_proba`` (whose log-odds are then the
        score); not SVC(probability=True).
    rule : str or rule, default="expected-cost"
        A registered name or an instance; an instance is cloned.
    cv : int, None (5), splitter or iterable of (train, test), default=5
        How out-of-fold scores are made; no row may be tested twice. A rule that makes
        a promise uses one part instead: a quarter that the rows themselves draw, or
        the first split of ``cv`` where it is no number.
    pos_label : label or None, default=None
        The label that +1 stands for, in prices and decisions; None: the larger one,
        with a warning where labels are text.
    n_jobs : int, default=None
        Folds that are fitted at once, in threads, and threads of the last fit; the
        same bits with any number. None: what ``joblib.parallel_config`` grants, or 1;
        -1: all processors.

    Attributes
    ----------
    estimator_ : fitted classifier
        On all rows (on the rows outside the kept part, for a rule with a promise). A
        booster that stops early has the mean number of rounds that it had on the folds,
        as their models have, so that all of them are equally sharp.
    rule_ : fitted rule
    calibration_ : Calibration
        Of the out-of-fold scores.
    classes_ : ndarray of shape (2,)
        Ascending; ``pos_label_`` is the one that +1 stands for.
    split_ : list of (train, test) row numbers
    oof_scores_ : ndarray
        The out-of-fold scores of +1, and ``oof_rows_``, the rows they belong to.
    """

    estimator: Any
    rule: Any = "expected-cost"
    cv: Any = 5
    pos_label: Any = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the rule on out-of-fold scores, then the estimator on all rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            Handed on to the estimator as it is; (n_rows, n_rows) for one that takes a
            kernel matrix.
        y : array-like of shape (n_rows,)
            Two labels, one of them ``pos_label``.
        sample_weight : array-like of shape (n_rows,), optional
            For the rule, the calibration, and the estimator where it takes weights.
            Refused by rules that make a promise.
        groups : array-like of shape (n_rows,), optional
            Rows of one group stay together in every split where ``cv`` is a number or
            a splitter of groups; also for an estimator whose ``fit`` takes groups. A
            promise counts groups. Where rows look as if they came in groups and none
            are given, a rule with a promise warns.

        Raises
        ------
        ValueError
            When there are not two classes of at least two rows each, the split tests
            a row twice or trains on one class, the estimator or the rule refuses its
            input, or a rule that believes the score meets ``class_weight``.
        """
        check_scorer(self.estimator)
        rule = self._new_rule()
        validate_data(self, X, skip_check_array=True)
        X, y, groups = indexable(X, y, groups)
        y = np.asarray(column_or_1d(y, warn=True))
        assert_all_finite(y, input_name="y")
        chosen = positive_of(self.estimator, self.pos_label)
        targets = binary_targets(y, chosen)
        self.classes_, self.pos_label_ = targets.classes, targets.positive
        signs, estimator = (
            targets.signs,
            with_pos_label(self.estimator, targets.positive),
        )
        weights = self._weights(sample_weight, X, rule)
        groups = None if groups is None else np.asarray(groups)
        keys = keys_of(X, targets.signs) if _promises(rule) else None
        if keys is None:
            self.split_ = fold_split(self.cv, X, y, groups)
        else:
            self.split_ = promise_split(self.cv, X, y, groups, keys)
            self._warn_of_groups(X, signs, groups)
        given = FitRows(X, y, weights, groups)
        kept = self.split_[0][0] if _promises(rule) else np.arange(len(y))
        if not _promises(rule):  # a promise holds for one model only
            estimator = rounds_in_common(estimator, given, self.split_, self.n_jobs)
        scores, rows, self.estimator_ = outside_scores(
            estimator, given, self.split_, kept, self.n_jobs
        )
        scores = self._direction * scores
        self.oof_scores_, self.oof_rows_ = scores, rows
        part = None if weights is None else weights[rows]
        self.calibration_: Calibration = fit_calibration(scores, signs[rows], part)
        on_probability = _scale(rule) == "probability"
        values = self.calibration_.probability(scores) if on_probability else scores
        drawn_by: dict[str, Any] = {}
        if keys is not None and takes(rule, "keys"):
            drawn_by = {
                "keys": keys[rows],
                "groups": None if groups is None else groups[rows],
            }
        self.rule_ = rule.fit(values, signs[rows], part, **drawn_by)
        # Of a kernel matrix, the columns of the rows that the estimator was fitted on.
        partial = get_tags(self.estimator).input_tags.pairwise and len(kept) < len(y)
        self._columns = kept if partial else None
        return self

    def positive_score(self, X: Any) -> Floats:
        """Return the score of +1 for each row, shape (n_rows,)."""
        check_is_fitted(self)
        columns = getattr(self, "_columns", None)
        rows = X if columns is None else _safe_indexing(X, columns, axis=1)
        return self._direction * scores_of(self.estimator_, rows)

    def probability(self, X: Any) -> Floats:
        """Return the calibrated probability of +1, shape (n_rows,).

        Calibrated on out-of-fold scores; it may pass 1/2 elsewhere than the score
        passes 0, so it is no ``predict_proba``.
        """
        return self.calibration_.probability(self.positive_score(X))

    def decide(self, X: Any) -> NDArray[np.int8]:
        """Return +1 (``pos_label_``), -1 (the other) or 0 (reject) for each row."""
        scores = self.positive_score(X)
        if _scale(self.rule_) == "probability":
            scores = self.calibration_.probability(scores)
        return np.asarray(self.rule_.decide(scores), dtype=np.int8)

    def _warn_of_groups(self, X: Any, signs: Floats, groups: Any) -> None:
        if groups is None and not get_tags(self.estimator).input_tags.pairwise:
            warning = hang_together(X, signs)
            if warning is not None:
                warnings.warn(warning, UserWarning, stacklevel=3)

    def _new_rule(self) -> Any:
        rule = make_rule(self.rule)
        if rule is self.rule:
            rule = clone(rule, safe=False)
        if _scale(rule) == "reject-function":
            msg = f"the rule {rule.kind} belongs to classifiers that learn to reject"
            raise ValueError(msg)
        weighted = class_weight_of(self.estimator)
        if getattr(rule, "believes", False) and weighted is not None:
            msg = (
                f"the rule {rule.kind} believes the score, which class_weight"
                f" ({weighted!r}) moves: leave class_weight out, or take a rule on"
                " out-of-fold scores (chow, expected-cost)"
            )
            raise ValueError(msg)
        return rule

    def _weights(self, sample_weight: Any, X: Any, rule: Any) -> Floats | None:
        if sample_weight is None:
            return None
        if _promises(rule):
            msg = f"the rule {rule.kind} counts rows: it takes no sample_weight"
            raise ValueError(msg)
        if not takes(self.estimator, "sample_weight"):
            name = type(self.estimator).__name__
            warnings.warn(
                f"{name}.fit takes no sample_weight: only the rule and the calibration"
                " are weighted",
                UserWarning,
                stacklevel=3,
            )
        weights: Floats = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        return weights


def _scale(rule: Any) -> str:
    """Return what a rule acts on; a rule of the user's own need not say."""
    return str(getattr(rule, "on", "score"))


def _promises(rule: Any) -> bool:
    return bool(getattr(rule, "promised", getattr(rule, "promises", False)))
