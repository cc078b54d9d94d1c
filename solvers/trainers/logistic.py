"""Logistic regression: scikit-learn's, exported as plain data.

    min_{w,b}  1/2 |w|^2 + C sum_i w_i log(1 + exp(-y_i (w'x_i + b)))

Its score w'x + b is the log-odds of +1; which rows are rejected is the matter of a rule
on top. The penalty weighs all columns alike, so they should be on one scale.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from solvers.declarations import TRAINERS
from solvers.scoring.kernel_machine import KernelMachineScorer, kernel_machine_payload
from solvers.trainers.base import LogOddsMixin
from solvers.trainers.targets import class_factors

__all__ = ["LogisticRejectClassifier"]

_TOLERANCE = 1e-8
"""Of the gradient: so small that fits of rows twice and of weights 2 agree."""


@dataclass(eq=False, repr=False)
class LogisticRejectClassifier(LogOddsMixin, BaseEstimator):
    """Logistic regression; ``decide`` never rejects, a rule comes on top.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the norm.
    max_iter : int, default=1000
        Steps at most; a ConvergenceWarning tells where they did not suffice.
    class_weight : mapping, "balanced" or None, default=None
        Factors on the rows' weights, by label.
    pos_label : label or None, default=None
        The label of +1. None: the larger one, with a warning where labels are text.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, n_features)
        Weights of the score of +1.
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
    """

    C: float = 1.0
    max_iter: int = 1000
    class_weight: Mapping[Any, float] | str | None = None
    pos_label: Any = None

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the weights.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Two labels, one of them ``pos_label``.
        sample_weight : array-like of shape (n_rows,), optional
            Each >= 0. Weight 2 equals the row twice, weight 0 equals no row.

        Returns
        -------
        self
        """
        TRAINERS["logistic"].check(self)
        rows, labels = validate_data(self, X, y, dtype=np.float64, order="C")
        weight = _check_sample_weight(
            sample_weight, rows, dtype=np.float64, ensure_non_negative=True
        )
        used = weight > 0
        rows, labels, weight = rows[used], labels[used], weight[used]
        signs = self._read_labels(labels)
        named = self.classes_.tolist()[:: int(self._direction)]
        factors = class_factors(self.class_weight, named, signs, weight)
        model = LogisticRegression(C=self.C, max_iter=self.max_iter, tol=_TOLERANCE)
        model.fit(rows, signs, weight * factors)
        self.coef_, self.intercept_ = model.coef_, model.intercept_
        self.n_iter_ = int(model.n_iter_[0])
        self._scorer = KernelMachineScorer(self.scorer_payload())
        return self

    def positive_score(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the log-odds of +1 for each row, shape (n_rows,)."""
        check_is_fitted(self)
        return self._scorer.score(
            validate_data(self, X, reset=False, dtype=np.float64, order="C")
        )

    def scorer_payload(self) -> dict[str, Any]:
        """Return the fitted model as plain data: a linear machine of one vector."""
        check_is_fitted(self)
        return kernel_machine_payload(
            {"kind": "linear"}, self.coef_, [1.0], float(self.intercept_[0])
        )
