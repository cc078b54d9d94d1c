"""A support vector machine trained without the rows that would not help it.

First machines say which training rows they reject or get wrong; these are removed (or
relabelled), and a last machine is trained on what is left, which is separable, so that
few rows become support vectors. Sources: Sousa, da Rocha Neto, Barreto, Cardoso (M1RS
and M2RS), Geebelen, Suykens, Vandewalle 2012 (SCA and SSCA).
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from solvers.costs import CostMatrix
from solvers.kernel_declarations import MACHINE, REDUCTIONS
from solvers.trainers.base import RejectOptionMixin
from solvers.trainers.kernel_machine import KernelMachine
from solvers.trainers.reduction_plan import check_reduction, make_plan
from solvers.trainers.reduction_report import compared, reduce
from solvers.trainers.reduction_stages import LabelledRows
from solvers.trainers.targets import binary_targets, class_factors

__all__ = ["ReducedSetSVC"]

_OF_METHODS = {
    one.name: one
    for _, own in REDUCTIONS.values()
    for one in own
    if one.name != "landmarks"  # KernelMachine checks it
}


@dataclass(eq=False, repr=False)
class ReducedSetSVC(RejectOptionMixin, KernelMachine):
    """A support vector machine with fewer support vectors.

    Parameters
    ----------
    method : {"m2rs", "m1rs", "sca", "ssca", "landmarks"}, default="m2rs"
        How the first stage marks rows. "m2rs": two machines with opposite class
        weights reject where they disagree. "m1rs": one machine rejects where its
        posterior is below the threshold that minimises ``w_r R + E``. "sca" rejects
        nothing, "ssca" what is nearer to the boundary than ``distance``. Misclassified
        rows are marked by every method but "landmarks", which takes no row away: the
        last machine has ``landmarks`` support vectors (Nystrom), fitted on all rows.
    rejection_cost : float, default=0.24
        The price w_r of a rejected row where an error costs 1, within (0, 1); M2RS
        trains its two machines with the class weights w_r and 1 - w_r.
    distance : float, default=0.0
        SSCA: in the scale of the first machine's score, >= 0.
    removal : {"remove", "flip"}, default="remove"
        "remove" drops all marked rows; "flip" gives misclassified rows the first
        stage's label and drops rejected ones.
    first_stage : mapping or None, default=None
        ``C``, ``gamma``, ``degree``, ``coef0`` of the machines that mark rows; what it
        leaves out is the last machine's. M2RS needs machines that differ: with a
        kernel that separates the rows perfectly they agree everywhere, and nothing
        changes.
    C : float, default=1.0
        Of the last machine (and of the unreduced one it is compared with).
    kernel : str or callable, default="rbf"
    gamma : {"scale", "auto"} or float, default="scale"
        Learnt from all rows.
    degree : int, default=3
    coef0 : float, default=0.0
    tol : float, default=1e-3
    max_accuracy_loss : float or None, default=None
        How much accuracy the reduction may cost. When it costs more, the unreduced
        machine is kept, and ``report_["fallback"]`` says so.
    validation_fraction : float, default=0.2
        Share of the rows on which that loss is judged: both machines are first fitted
        without them. Only used with ``max_accuracy_loss``.
    hard_margin : bool or "auto", default="auto"
        Whether the last machine allows no margin error (its C is out of reach): fewer
        support vectors, and less accuracy where the rows that stay are noisy. "auto":
        for SCA and SSCA without ``costs`` when the first stage has the last machine's
        kernel, for then the rows that stay are separable by construction.
    costs : CostMatrix, mapping of its fields, or None
        Given: the last machine is a ``DoubleHingeSVC`` that decides at these prices.
        None: an ordinary machine, which never rejects.
    solver : {"auto", "active-set", "decomposition"}, default="auto"
    cache_size : float, default=200
    max_iter : int, default=-1
    class_weight : mapping, "balanced" or None, default=None
    random_state : int, default=0
        Of the split for ``max_accuracy_loss``, and of the draw of landmarks.
    pos_label : label or None, default=None
    landmarks : int or None, default=None
        Of the method "landmarks", and of no other: how many support vectors stay.

    Attributes
    ----------
    report_ : dict
        JSON-able: ``rows``, ``rejected``, ``misclassified``, ``removed``, ``flipped``,
        ``posterior_threshold`` (M1RS), ``before`` and ``after`` (each
        ``support_vectors``, ``accuracy``, ``cost``, ``reject_rate``) and
        ``decision_agreement`` on the training rows, the same under ``validation``
        where a part was kept apart, ``reduced`` (whether the reduced machine is the one
        that predicts) and ``fallback`` (why not). The cost is the mean cost of the
        decisions; without ``costs``, the smallest ``w_r R + E`` over bands ``|f| < t``.
    classes_ : ndarray of shape (2,)
    support_ : ndarray of shape (n_SV,)
        Indices into the rows given to ``fit``.
    support_vectors_, dual_coef_, intercept_, duality_gap_, n_iter_, solver_
        Of the machine that predicts, as for ``HingeSVC``.
    """

    _declared = (*MACHINE, *_OF_METHODS.values())

    method: str = "m2rs"
    rejection_cost: float = 0.24
    distance: float = 0.0
    removal: str = "remove"
    first_stage: Mapping[str, Any] | None = None
    C: float = 1.0
    _: KW_ONLY
    max_accuracy_loss: float | None = None
    validation_fraction: float = 0.2
    hard_margin: bool | str = "auto"
    costs: CostMatrix | Mapping[str, float] | None = None
    # No parameter: several machines are fitted, each from the start.
    warm_start: bool = field(default=False, init=False)

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the first stage, the unreduced and the reduced machine.

        Takes and raises what ``HingeSVC.fit`` does. But ``max_accuracy_loss`` splits
        rows whatever their weight: there weight 2 is not the row twice.
        """
        self._check_parameters()
        given = self._checked_rows(X, y, sample_weight)
        targets = binary_targets(given.targets, self.pos_label)
        self.classes_, self.pos_label_ = targets.classes, targets.positive
        kernel, counted = self._kernel_and_counted(given)
        rows = LabelledRows(
            X=counted,
            signs=targets.signs,
            weights=given.weights,
            factors=class_factors(
                self.class_weight, targets.labels, targets.signs, given.weights
            ),
            square=kernel.kind == "precomputed",
        )
        plan = make_plan(self.get_params(deep=False), kernel, rows)
        outcome, self.report_ = reduce(plan, rows, self._progress)
        self._comparison = plan, outcome, given.used
        reduced = outcome.reduced if self.report_["reduced"] else None
        machine = outcome.unreduced if reduced is None else reduced
        unreduced = machine is outcome.unreduced
        kept = given.used if unreduced else given.used[outcome.changes.kept]
        self.kernel_ = machine.kernel_
        self.support_ = kept[machine.support_]
        self.support_vectors_ = machine.support_vectors_
        self.dual_coef_ = machine.dual_coef_
        self.intercept_ = machine.intercept_
        self.duality_gap_ = machine.duality_gap_
        self.n_iter_ = machine.n_iter_
        self.solver_ = machine.solver_
        if plan.last.costs is not None:
            self.costs_, self.rule_ = plan.last.costs, machine.rule_
        return self

    def compare(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> dict[str, Any]:
        """Return the before and after table on rows of your choice.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Values from ``classes_``.
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        dict
            ``before``, ``after`` (None when only one class was left) and
            ``decision_agreement``, as in ``report_``.

        Raises
        ------
        ValueError
            When X has another width or y another label.
        """
        check_is_fitted(self)
        rows = validate_data(
            self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False
        )
        labels = np.asarray(y)
        if not np.isin(labels, self.classes_).all():
            msg = f"y must hold the fitted classes {self.classes_.tolist()} only"
            raise ValueError(msg)
        weights = _check_sample_weight(sample_weight, rows, dtype=np.float64)
        signs = np.where(labels == self.pos_label_, 1.0, -1.0)
        plan, outcome, used = self._comparison
        columns = rows[:, used] if plan.last.kernel.kind == "precomputed" else rows
        return compared(plan, outcome, columns, signs, weights)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_reduction(self.get_params(deep=False))
