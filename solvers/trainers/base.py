"""What every classifier with a reject option has in common.

``predict`` gives a class for every row, as scikit-learn's tools expect; ``decide``
gives the three answers: +1 for the label that ``pos_label`` names, -1 for the other, 0
to reject.

scikit-learn fixes what ``classes_``, ``predict``, ``decision_function`` and
``predict_proba`` mean: labels in ascending order, ``classes_[1]`` where the score is
positive. All else that is fitted speaks of +1: ``positive_score``, thresholds, weights,
probabilities of a calibration.

A trainer is a dataclass whose fields are its parameters: each is named once, and the
constructor made of them has the signature that scikit-learn reads. Comparison and text
stay scikit-learn's (``eq=False, repr=False``).
"""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from solvers.trainers.targets import binary_targets

__all__ = [
    "FittedRule",
    "LogOddsMixin",
    "MissingValuesMixin",
    "RejectOptionMixin",
    "decisions",
]


def decisions(positive: NDArray[np.bool_], kept: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Return +1 where a row is positive, else -1; 0 (reject) where it is not kept."""
    return np.where(kept, np.where(positive, 1, -1), 0).astype(np.int8)


class FittedRule(Protocol):
    """A rule that turns scores into decisions."""

    def decide(self, scores: ArrayLike) -> NDArray[np.int8]:
        """Return +1, -1 or 0 (reject) for each score."""
        ...


class RejectOptionMixin(ClassifierMixin):
    """Labels by the sign of ``decision_function``, decisions by ``rule_``.

    A classifier has the parameter ``pos_label`` and defines ``positive_score``; a
    fitted one has ``classes_`` (two labels, ascending) and ``pos_label_``, the one
    that is +1. Its attribute ``rule_`` decides, and without one no row is rejected.
    """

    pos_label: Any
    pos_label_: Any
    classes_: NDArray[Any]

    if TYPE_CHECKING:

        def positive_score(self, X: ArrayLike) -> NDArray[np.float64]:
            """Return the score of each row; each classifier defines its own."""
            ...

    def _read_labels(self, y: ArrayLike) -> NDArray[np.float64]:
        """Return -1 or +1 for every label, and keep which is which."""
        read = binary_targets(y, self.pos_label)
        self.classes_, self.pos_label_ = read.classes, read.positive
        return read.signs

    @property
    def _direction(self) -> float:
        """Return what turns a score of +1 into one of ``classes_[1]``, and back."""
        return 1.0 if self.pos_label_ == self.classes_[1] else -1.0

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the score of ``classes_[1]`` for each row.

        That of +1, which the rule decides on, is ``positive_score``: the same unless
        ``pos_label`` is ``classes_[0]``.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        scores = self.positive_score(X)
        return self._direction * scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _in_order_of_classes(
        self, negative: NDArray[np.float64], positive: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return probabilities of -1 and +1 as columns in the order of ``classes_``."""
        columns = (negative, positive)
        return np.stack(columns[:: int(self._direction)], axis=1)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return ``classes_[1]`` where a row's score is positive, else ``classes_[0]``.

        ``X`` as for ``decision_function``; the answer has shape (n_rows,).
        """
        scores = self.decision_function(X)
        return np.asarray(self.classes_[(scores > 0).astype(np.intp)])

    def decide(self, X: ArrayLike) -> NDArray[np.int8]:
        """Return +1 (``pos_label_``), -1 (the other) or 0 (reject) for each row.

        ``X`` as for ``decision_function``; the answer has shape (n_rows,).
        """
        scores = self.positive_score(X)
        rule: FittedRule | None = getattr(self, "rule_", None)
        if rule is None:
            return np.where(scores > 0, 1, -1).astype(np.int8)
        return rule.decide(scores)


class LogOddsMixin(RejectOptionMixin):
    """A classifier whose score is the log-odds of +1."""

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n_rows, 2)."""
        odds = self.positive_score(X)
        small = np.exp(-np.abs(odds))
        p = np.where(odds >= 0.0, 1.0, small) / (1.0 + small)
        return self._in_order_of_classes(1.0 - p, p)


class MissingValuesMixin(RejectOptionMixin):
    """A classifier that reads NaN as a missing value, and scores by ``_scorer``."""

    _scorer: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _checked(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        rows = validate_data(
            self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        return np.asarray(rows)

    def positive_score(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the score of +1 of each row, shape (n_rows,)."""
        rows = self._checked(X)
        return np.asarray(self._scorer.score(rows))

    def scorer_payload(self) -> dict[str, Any]:
        """Return the fitted model as plain data."""
        check_is_fitted(self)
        payload: dict[str, Any] = self._scorer.payload()
        return payload
