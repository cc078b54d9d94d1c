"""A support vector machine of labels and probabilities, and of nothing but its score.

    min_{f,b}  1/2 |f|^2 + C sum_certain hinge_i + C_prob sum_uncertain tube_i

A row with a probability ``p`` of +1 is free while its predicted probability stays
within ``eta`` of ``p``, and pays linearly outside. The link is

    P(y = +1 | x) = 1 / (1 + exp(-a (f(x) + b))),    a = ln(1 / eta - 1)

so that the margins -1 and +1 are the probabilities ``eta`` and ``1 - eta``, and no
calibration step is needed. Source: Niaf, Flamary, Lartizien, Canu (2011), equations 2,
4 and 6.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from math import log
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.kernel_declarations import MACHINE, MACHINES
from solvers.kernels import KernelRows
from solvers.losses import PiecewiseLinear, ProbabilityTube
from solvers.rules.base import as_costs
from solvers.rules.plug_in import PlugInRule
from solvers.trainers.base import RejectOptionMixin
from solvers.trainers.kernel_machine import KernelMachine
from solvers.trainers.probability_targets import probability_targets
from solvers.trainers.targets import class_factors, class_odds

__all__ = ["ProbabilisticLabelSVC"]

Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class ProbabilisticLabelSVC(RejectOptionMixin, KernelMachine):
    """A kernel machine whose targets may be probabilities.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the certain rows' losses against the norm, > 0.
    C_prob : float, default=1.0
        Weight of the uncertain rows' losses, > 0.
    eta : float, default=0.1
        How far a predicted probability may be from its target at no cost (labelling
        precision plus confidence), strictly between 0 and 1/2. Targets above
        ``1 - eta`` and below ``eta`` count as certain.
    kernel : str or callable, default="rbf"
    gamma : {"scale", "auto"} or float, default="scale"
    degree : int, default=3
    coef0 : float, default=0.0
    solver : {"auto", "active-set", "decomposition"}, default="auto"
    tol : float, default=1e-3
    cache_size : float, default=200
    max_iter : int, default=-1
    warm_start, pos_label, landmarks, random_state
        As for ``HingeSVC``.
    class_weight : mapping, "balanced" or None, default=None
        Factor on C by label; a row of probability p counts as p of a +1 and 1 - p
        of a -1. Among labels the odds that it makes are undone in ``predict_proba``
        and ``decide``; a target that is a probability stays what it is.
    costs : CostMatrix, mapping of its fields, or None
        The prices that ``decide`` minimises at the predicted probability; None: an
        error costs 1, a reject 0.25.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        [-1, 1] when the targets are probabilities, else the two labels.
    link_slope_ : float
        The ``a`` of the link.
    link_ : Calibration
        From scores to probabilities: the link, less the odds of the class weights.
    costs_ : CostMatrix
    rule_ : PlugInRule
    support_, support_vectors_, dual_coef_, intercept_, duality_gap_, n_iter_, solver_
        As for ``HingeSVC``.
    """

    _declared = (*MACHINE, *MACHINES["p-svm"])

    C: float = 1.0
    C_prob: float = 1.0
    eta: float = 0.1
    _: KW_ONLY
    costs: CostMatrix | Mapping[str, float] | None = None

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        label_precision: ArrayLike | None = None,
    ) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X, sample_weight
            As for ``HingeSVC.fit``.
        y : array-like of shape (n_rows,)
            Values in [0, 1] with any strictly inside, or -1, 0 and 1 together, are
            probabilities of +1 (-1: certainly not); any other two values are labels.
        label_precision : array-like of shape (n_rows,), optional
            A row's own ``eta``. The link keeps the slope that the constructor's
            ``eta`` gives it; a certain row with precision e must reach the
            probability 1 - e.

        Raises
        ------
        ValueError
            As for ``HingeSVC.fit``, and when y is of an unknown type.
        """
        self._check_parameters()
        slope = log(1.0 / self.eta - 1.0)
        costs = as_costs(self.costs)
        rows = self._checked_rows(X, y, sample_weight)
        eta = self._precisions(label_precision, rows.X)[rows.used]
        targets = probability_targets(rows.targets, self.pos_label)
        self.classes_, self.pos_label_ = targets.classes, targets.positive
        factors = self._class_factors(targets.probabilities, rows.weights)
        kernel_rows = KernelRows(*self._kernel_and_counted(rows))
        losses = self._losses(targets.probabilities, eta, slope)
        losses = losses.weighted(rows.weights * factors)
        self.link_slope_, self.costs_ = slope, costs
        odds = _odds(factors, targets.probabilities)
        self.link_ = Calibration.link(slope, odds)
        self.rule_ = PlugInRule(costs.at_odds(odds), slope=slope).fit()
        self._fit_losses(kernel_rows, losses, rows.used, rows.X)
        return self

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the probability of both classes, by the machine's own link.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, 2)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        p = self.link_.probability(self.positive_score(X))
        return self._in_order_of_classes(1.0 - p, p)

    def scorer_payload(self) -> dict[str, Any]:
        """Return the fitted machine as plain data, with its link.

        Raises
        ------
        ValueError
            For a precomputed or callable kernel, which plain data cannot hold.
        """
        link = {"link_slope": float(self.link_slope_)}
        if self.link_.intercept:
            link["link_odds"] = float(np.exp(-self.link_.intercept))
        return {**super().scorer_payload(), **link}

    def _precisions(self, label_precision: ArrayLike | None, rows: Any) -> Floats:
        if label_precision is None:
            return np.full(rows.shape[0], float(self.eta))
        eta = np.asarray(label_precision, dtype=np.float64)
        check_consistent_length(rows, eta)
        if eta.ndim != 1 or not ((eta > 0.0) & (eta < 0.5)).all():
            msg = "label_precision must hold one number a row, each within (0, 0.5)"
            raise ValueError(msg)
        return eta

    def _class_factors(self, p: Floats, weights: Floats) -> Floats:
        """Return what multiplies each row's weight, by its share of both classes."""
        if self.class_weight is None:
            return np.ones(len(p))
        signs = np.repeat([1.0, -1.0], len(p))
        shares = np.concatenate([p * weights, (1.0 - p) * weights])
        labels = self.classes_[:: int(self._direction)].tolist()
        both = class_factors(self.class_weight, labels, signs, shares)
        return np.asarray(p * both[0] + (1.0 - p) * both[-1])

    def _losses(self, p: Floats, eta: Floats, slope: float) -> PiecewiseLinear:
        """Return the rows' losses of the score, C and C_prob multiplied in.

        The tube's knots are log-odds over the row's own slope; one link for all
        rows takes them over the machine's.
        """
        tubes = ProbabilityTube(eta).rows(p)
        own = np.log1p(-eta) - np.log(eta)
        tubes = replace(tubes, knots=tubes.knots * (own / slope)[:, np.newaxis])
        certain = (p > 1.0 - eta) | (p < eta)
        return tubes.weighted(np.where(certain, self.C, self.C_prob))


def _odds(factors: Floats, p: Floats) -> float:
    """Return how often a +1 counts for each time that a -1 does, among labels."""
    if ((p > 0.0) & (p < 1.0)).any():
        return 1.0
    return class_odds(factors, np.where(p > 0.0, 1.0, -1.0))
