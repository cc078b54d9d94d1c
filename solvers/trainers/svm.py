"""Support vector machines of labels: the ordinary one, and one that may reject.

    min_{f,b}  1/2 |f|^2 + C sum_i w_i loss(y_i, f(x_i) + b)

with the hinge (``HingeSVC``) or the double hinge of the decisions' costs
(``DoubleHingeSVC``; Grandvalet et al. 2008, equations 7 to 10).
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from sklearn.base import clone

from solvers.costs import CostMatrix, RowCosts
from solvers.losses import DoubleHinge, Loss
from solvers.rules.base import as_costs
from solvers.rules.registry import make_rule
from solvers.trainers.base import FittedRule
from solvers.trainers.label_machine import LabelMachine

__all__ = ["DoubleHingeSVC", "HingeSVC"]


@dataclass(eq=False, repr=False)
class HingeSVC(LabelMachine):
    """The ordinary support vector machine; ``decide`` never rejects.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the norm, > 0.
    kernel : str or callable, default="rbf"
        "linear", "polynomial" (or "poly"), "rbf", "sigmoid", "precomputed", or a
        function ``(A, B) -> matrix``. Sigmoid and functions may not be positive
        semi-definite: the fit then ends at a stationary point, ``duality_gap_`` stays
        open, and a ConvergenceWarning says so.
    gamma : {"scale", "auto"} or float, default="scale"
        "scale" is ``1 / (n_features * weighted variance of X)``.
    degree : int, default=3
    coef0 : float, default=0.0
    solver : {"auto", "active-set", "decomposition"}, default="auto"
    tol : float, default=1e-3
        How far the optimality conditions may be broken, in units of the score, and
        the largest duality gap; a fit that ends above it gives a ConvergenceWarning.
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
        Approximate the kernel by its values at so many rows, drawn at random (Nystrom):
        the machine has as many support vectors, and the time of a fit grows with
        the rows, not with their square. ``duality_gap_`` is then that of the
        approximated problem: it says nothing of how near that is to the exact one.
        ``cache_size`` is the memory for features; ``max_iter`` counts sweeps over the
        rows. None: the exact machine.
    random_state : int, RandomState instance or None, default=0
        Of the draw of landmarks, and of the order of rows.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    support_ : ndarray of shape (n_SV,)
        Indices of the rows with weight.
    support_vectors_ : array or CSR matrix of shape (n_SV, n_features)
    dual_coef_ : ndarray of shape (1, n_SV)
        Signed: ``positive_score(X) = dual_coef_ @ k(support_vectors_, X) +
        intercept_``, which is ``decision_function(X)`` unless ``pos_label`` is
        ``classes_[0]``.
    intercept_ : ndarray of shape (1,)
    duality_gap_ : float
        Relative: how much of the objective may still be missing.
    n_iter_ : int
    solver_ : str
        The solver that ran.
    """

    C: float = 1.0


@dataclass(eq=False, repr=False)
class DoubleHingeSVC(LabelMachine):
    """A support vector machine whose score is reliable where decisions change.

    Parameters
    ----------
    costs : CostMatrix, mapping of its fields, or None
        The prices of the decisions; None: an error costs 1, a reject 0.25. ``fit``
        takes prices of each row, at whose thresholds its loss is then exact; they are
        no prices for ``decide``: ``RowCosts.decide`` takes a probability of new rows.
    C : float, default=1.0
        Weight of the losses against the norm, > 0.
    rule : {"plug-in", "bartlett-wegkamp"} or a rule instance, default="plug-in"
        "plug-in" is Grandvalet et al.'s equation 9. "bartlett-wegkamp" (symmetric
        costs) puts its threshold at 1/2 in its own scale, where its authors' bound
        is smallest; ``BartlettWegkampRule(delta=...)`` puts it elsewhere. An instance
        without costs decides at the machine's.
    class_weight : mapping, "balanced" or None, default=None
        Factor on C by label. Decisions stay those of the rows as they come: the
        thresholds, and where the loss is exact, move with the odds that the factors
        make.
    kernel, gamma, degree, coef0, solver, tol, cache_size, max_iter, warm_start,
    pos_label, landmarks, random_state
        As for ``HingeSVC``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    rule_ : the fitted rule
    costs_ : CostMatrix
    support_, support_vectors_, dual_coef_, intercept_, duality_gap_, n_iter_, solver_
        As for ``HingeSVC``.
    """

    costs: CostMatrix | Mapping[str, float] | None = None
    C: float = 1.0
    _: KW_ONLY
    rule: Any = "plug-in"

    def _loss(self, odds: float, costs: RowCosts | None = None) -> Loss:
        self.costs_ = as_costs(self.costs)
        prices = self.costs_ if costs is None else costs
        return DoubleHinge(prices.at_odds(odds))

    def _fitted_rule(self, odds: float) -> FittedRule:
        if isinstance(self.rule, str):
            rule = make_rule(self.rule, costs=self.costs_)
        else:
            rule = clone(make_rule(self.rule), safe=False)
            # A rule without prices of its own decides at the machine's.
            if getattr(rule, "costs", self.costs_) is None:
                rule.costs = self.costs_
        if getattr(rule, "learns", True) or getattr(rule, "on", "score") != "score":
            msg = (
                "DoubleHingeSVC takes the rules plug-in and bartlett-wegkamp, whose"
                f" thresholds the costs fix; got {self.rule!r}. Rules that learn, or"
                " decide by a probability, need scores of other rows: use"
                " RejectOptionClassifier"
            )
            raise ValueError(msg)
        if odds != 1.0 and getattr(rule, "costs_use", "") == "symmetric":
            msg = (
                f"the rule {rule.kind} needs symmetric costs, and class_weight makes"
                " them differ; leave class_weight out, or take plug-in"
            )
            raise ValueError(msg)
        if hasattr(rule, "costs"):
            rule.costs = as_costs(rule.costs).at_odds(odds)
        fitted: FittedRule = rule.fit()
        return fitted
