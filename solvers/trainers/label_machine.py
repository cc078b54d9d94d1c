"""A kernel machine of two labels: its losses, weights and rule, short of the loss.

    min_{f,b}  1/2 |f|^2 + C sum_i w_i loss(y_i, f(x_i) + b)

``w_i`` is the row's weight times its class's factor: weight 2 equals the row twice,
weight 0 equals no row. A row's weight says how many rows it stands for; a class's
factor says nothing about the world. Losses and rules that read the score as a
probability therefore aim at the odds that the factors make of it (``odds``).
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.costs import RowCosts
from solvers.kernels import KernelRows
from solvers.losses import Hinge, Loss
from solvers.trainers.base import FittedRule, RejectOptionMixin
from solvers.trainers.kernel_machine import KernelMachine
from solvers.trainers.targets import (
    BinaryTargets,
    binary_targets,
    class_factors,
    class_odds,
)

__all__ = ["LabelMachine", "Task"]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Rows and labels, checked, with the kernel between them.

    Parameters
    ----------
    rows : KernelRows
        Of the rows with weight above zero.
    targets : BinaryTargets
    weights : (n_used,) float64
        Factors on C: sample weight times class weight.
    odds : float
        How often a +1 counts for each time that a -1 does, by the class weights.
    used : (n_used,) int64
        The rows' indices in X.
    X : array or CSR matrix of shape (n_rows, n_features)
    described : dict
        What scikit-learn records of X: number and names of its columns.
    costs : RowCosts or None
        Of the used rows, where each has prices of its own.
    """

    rows: KernelRows
    targets: BinaryTargets
    weights: NDArray[np.float64]
    odds: float
    used: NDArray[np.int64]
    X: Any
    described: dict[str, Any]
    costs: RowCosts | None = None


class LabelMachine(RejectOptionMixin, KernelMachine):
    """A kernel machine whose targets are two labels."""

    def _loss(self, odds: float, costs: RowCosts | None = None) -> Loss:
        del odds, costs  # the hinge aims at no probability
        return Hinge()

    def _fitted_rule(self, odds: float) -> FittedRule | None:
        del odds
        return None

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        costs: RowCosts | None = None,
    ) -> Self:
        """Fit the machine, and return it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The kernel matrix itself, (n_rows, n_rows), when it is precomputed.
        y : array-like of shape (n_rows,)
            Two labels, one of them ``pos_label``.
        sample_weight : array-like of shape (n_rows,), optional
            Each >= 0. Weight 2 equals the row twice, weight 0 equals no row.
        costs : RowCosts of n_rows rows, optional
            Prices of each row, for a loss that is made for prices (the double hinge).

        Raises
        ------
        ValueError
            When a parameter is out of range, X or y is not finite, or the rows of
            positive weight have one class only.
        """
        self._check_parameters()
        self._loss(1.0)
        self._fitted_rule(1.0)
        return self.fit_task(self.task(X, y, sample_weight, costs))

    def task(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        costs: RowCosts | None = None,
    ) -> Task:
        """Check the rows and return what several machines may be fitted on.

        Parameters
        ----------
        X, y, sample_weight, costs
            As for ``fit``.
        """
        rows = self._checked_rows(X, y, sample_weight)
        n_rows = rows.X.shape[0]
        if costs is not None and len(costs) != n_rows:
            msg = f"costs are of {len(costs)} rows, X has {n_rows}: one a row"
            raise ValueError(msg)
        targets = binary_targets(rows.targets, self.pos_label)
        kernel_rows = KernelRows(*self._kernel_and_counted(rows))
        factors = class_factors(
            self.class_weight, targets.labels, targets.signs, rows.weights
        )
        names = ("n_features_in_", "feature_names_in_")
        return Task(
            rows=kernel_rows,
            targets=targets,
            weights=rows.weights * factors,
            odds=class_odds(factors, targets.signs),
            used=rows.used,
            X=rows.X,
            described={k: v for k, v in vars(self).items() if k in names},
            costs=None if costs is None else costs.take(rows.used),
        )

    def fit_task(self, task: Task, before: Self | None = None) -> Self:
        """Fit on a task, whose kernel rows other fits have filled or will use.

        Parameters
        ----------
        task : Task
            Of a machine with the same kernel and class weights.
        before : machine fitted on the same task, optional
            Its weights, in proportion to C, are the start.
        """
        self._check_parameters()
        loss = self._loss(task.odds, task.costs)
        rule = self._fitted_rule(task.odds)
        self.classes_, self.pos_label_ = task.targets.classes, task.targets.positive
        for name, value in task.described.items():
            setattr(self, name, value)
        losses = loss.rows(task.targets.signs).weighted(self.C * task.weights)
        start = None
        if before is not None:
            scale = self.C / before.C
            start = scale * before._weights[task.used]  # noqa: SLF001 - own kind
        self._fit_losses(task.rows, losses, task.used, task.X, start)
        if rule is not None:
            self.rule_ = rule
        return self
