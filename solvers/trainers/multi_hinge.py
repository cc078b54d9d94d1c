"""A support vector machine that rates its confidence.

    min_{f,b}  1/2 |f|^2 + C sum_i w_i loss(y_i, f(x_i) + b)

with the multi-hinge: tangents to the log-loss at any list of probabilities
``p_1 < ... < p_K``. The score then tells reliably on which side of every ``logit(p_k)``
a row lies, which gives K + 1 bands of confidence, and nothing is spent on the
probabilities between them. Source: Grandvalet et al. (2008), section 6.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from solvers.costs import RowCosts
from solvers.losses import Loss, MultiHinge
from solvers.trainers.label_machine import LabelMachine

__all__ = ["MultiHingeSVC"]


class MultiHingeSVC(LabelMachine):
    """A support vector machine whose score is reliable at a list of probabilities.

    ``decide`` never rejects; a rule comes from ``RejectOptionClassifier``.

    Parameters
    ----------
    probabilities : sequence of float, default=(0.1, 0.3, 0.5, 0.7, 0.9)
        The probabilities of +1 between the bands: strictly ascending, within (0, 1).
    C : float, default=1.0
        Weight of the losses against the norm, > 0.
    kernel : str or callable, default="rbf"
        "linear", "polynomial" (or "poly"), "rbf", "sigmoid", "precomputed", or a
        function ``(A, B) -> matrix``.
    gamma : {"scale", "auto"} or float, default="scale"
    degree : int, default=3
    coef0 : float, default=0.0
    solver : {"auto", "active-set", "decomposition"}, default="auto"
    tol : float, default=1e-3
        How far the optimality conditions may be broken, in units of the score.
    cache_size : float, default=200
        Megabytes for kernel rows.
    max_iter : int, default=-1
        Steps of the solver, -1 for no limit.
    warm_start : bool, default=False
        Start from the weights of the last fit when the number of rows is the same.
    class_weight : mapping, "balanced" or None, default=None
        Factor on C by label.
    pos_label : label or None, default=None
        The label that +1 stands for, in prices and decisions; None: the larger one,
        with a warning where labels are text.
    landmarks : int or None, default=None
    random_state : int, RandomState instance or None, default=0
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

    def __init__(  # noqa: PLR0913, PLR0917 - scikit-learn's constructors are flat
        self,
        probabilities: Sequence[float] = (0.1, 0.3, 0.5, 0.7, 0.9),
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        solver: str = "auto",
        tol: float = 1e-3,
        cache_size: float = 200,
        max_iter: int = -1,
        warm_start: bool = False,
        class_weight: Mapping[Any, float] | str | None = None,
        pos_label: Any = None,
        landmarks: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.probabilities = probabilities
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.solver = solver
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.landmarks = landmarks
        self.random_state = random_state

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
