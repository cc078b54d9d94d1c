"""A support vector machine that rates its confidence.

    min_{f,b}  1/2 |f|^2 + C sum_i w_i loss(y_i, f(x_i) + b)

with the multi-hinge: tangents to the log-loss at any list of probabilities
``p_1 < ... < p_K``. The score then tells reliably on which side of every ``logit(p_k)``
a row lies, which gives K + 1 bands of confidence, and nothing is spent on the
probabilities between them. Source: Grandvalet et al. (2008), section 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from solvers.costs import RowCosts
from solvers.losses import Loss, MultiHinge
from solvers.trainers.label_machine import LabelMachine

__all__ = ["MultiHingeSVC"]


@dataclass(eq=False, repr=False)
class MultiHingeSVC(LabelMachine):
    """A support vector machine whose score is reliable at a list of probabilities.

    ``decide`` never rejects; a rule comes from ``RejectOptionClassifier``.

    Parameters
    ----------
    probabilities : sequence of float, default=(0.1, 0.3, 0.5, 0.7, 0.9)
        The probabilities of +1 between the bands: strictly ascending, within (0, 1).
    C : float, default=1.0
        Weight of the losses against the norm, > 0.
    kernel, gamma, degree, coef0, solver, tol, cache_size, max_iter, warm_start,
    class_weight, pos_label, landmarks, random_state
        As for ``HingeSVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    thresholds_ : ndarray of shape (K,)
        The log-odds of the probabilities, on the scale of ``positive_score``: raised
        by those of the class weights.
    support_, support_vectors_, dual_coef_, intercept_, duality_gap_, n_iter_, solver_
        As for ``HingeSVC``.
    """

    probabilities: Sequence[float] = (0.1, 0.3, 0.5, 0.7, 0.9)
    C: float = 1.0

    def _loss(self, odds: float, costs: RowCosts | None = None) -> Loss:
        del costs  # its bands are no decisions
        p = np.array(MultiHinge(self.probabilities).probabilities)
        self.thresholds_ = np.log(p) - np.log1p(-p) + np.log(odds)
        return MultiHinge(tuple(odds * p / (odds * p + 1.0 - p)))

    def rate(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the confidence band of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of int, shape (n_rows,)
            Band k means that P(y = +1) lies between the k-th and the (k + 1)-th
            probability: 0 below the first, K above the last. A score on a threshold
            belongs to the band below it.
        """
        check_is_fitted(self)
        scores = self.positive_score(X)
        return np.searchsorted(self.thresholds_, scores, side="left")
