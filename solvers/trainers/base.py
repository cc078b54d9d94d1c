"""What every classifier with a reject option has in common.

``predict`` gives a class for every row, as scikit-learn's tools expect; ``decide``
gives the three answers: +1 for ``classes_[1]``, -1 for ``classes_[0]``, 0 to reject.
"""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

__all__ = ["FittedRule", "RejectOptionMixin"]


class FittedRule(Protocol):
    """A rule that turns scores into decisions."""

    def decide(self, scores: ArrayLike) -> NDArray[np.int8]:
        """Return +1, -1 or 0 (reject) for each score."""
        ...


class RejectOptionMixin(ClassifierMixin):
    """Labels by the sign of ``decision_function``, decisions by ``rule_``.

    A fitted classifier has ``classes_`` (two labels, ascending) and
    ``decision_function``; its attribute ``rule_`` decides, and without one no row is
    ever rejected.
    """

    classes_: NDArray[Any]

    if TYPE_CHECKING:

        def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
            """Return the score of each row; each classifier defines its own."""
            ...

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return ``classes_[1]`` where the score is positive, else ``classes_[0]``.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        scores = self.decision_function(X)
        return np.asarray(self.classes_[(scores > 0).astype(np.intp)])

    def decide(self, X: ArrayLike) -> NDArray[np.int8]:
        """Return +1 (``classes_[1]``), -1 (``classes_[0]``) or 0 (reject) a row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of int8, shape (n_rows,)
        """
        scores = self.decision_function(X)
        rule: FittedRule | None = getattr(self, "rule_", None)
        if rule is None:
            return np.where(scores > 0, 1, -1).astype(np.int8)
        return rule.decide(scores)
