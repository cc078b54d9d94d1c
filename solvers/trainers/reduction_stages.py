"""The machines of a support vector reduction: first stage, unreduced and last one.

All of them see the same rows, labels and weights; they differ in C, in the kernel's
parameters and, for the last one, in the rows that stay. Gamma is learnt once, from all
rows, so that the last machine has the unreduced one's kernel.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solvers.costs import CostMatrix
from solvers.kernels import Kernel
from solvers.reduction import Marks, RowChanges, apply_changes
from solvers.reduction.methods import by_distance, by_posterior, by_two
from solvers.trainers.svm import DoubleHingeSVC, HingeSVC

__all__ = ["LabelledRows", "Machine", "MachineSettings", "Plan", "Reduction", "run"]

Floats = NDArray[np.float64]
Machine: TypeAlias = HingeSVC | DoubleHingeSVC
Share: TypeAlias = Callable[[int, int], Any]

_HARD = 1e4
"""A C this many times larger is out of reach of the weights of separable rows."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Rows with labels -1 and +1 and positive weights.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_rows, n_features)
        The square matrix itself for the precomputed kernel.
    signs : array of shape (n_rows,)
    weights : array of shape (n_rows,)
        What the rows count in reports.
    factors : array of shape (n_rows,)
        What their losses are multiplied by beyond that (class weights).
    square : bool
        Whether X is a precomputed kernel.
    """

    X: Any
    signs: Floats
    weights: Floats
    factors: Floats
    square: bool

    @property
    def training_weights(self) -> Floats:
        """Return what the rows' losses are multiplied by."""
        return self.weights * self.factors

    def take(
        self, rows: NDArray[np.int64], signs: Floats | None = None
    ) -> "LabelledRows":
        """Return these rows, with other labels where given."""
        chosen = self.X[rows]
        return LabelledRows(
            chosen[:, rows] if self.square else chosen,
            self.signs[rows] if signs is None else signs,
            self.weights[rows],
            self.factors[rows],
            self.square,
        )


@dataclass(frozen=True, slots=True)
class MachineSettings:
    """What makes a machine, apart from its rows.

    ``odds`` is how often a +1 counts for each time that a -1 does, by class weights.
    """

    kernel: Kernel
    C: float
    solver: str
    tol: float
    cache_size: float
    max_iter: int
    costs: CostMatrix | None = None
    odds: float = 1.0
    landmarks: int | None = None
    random_state: int = 0

    def fit(
        self, rows: LabelledRows, progress: Any, factors: Floats | float = 1.0
    ) -> Machine:
        """Return a machine fitted on these rows, their losses times ``factors``."""
        shared: dict[str, Any] = {
            "C": self.C,
            "kernel": self.kernel.function or self.kernel.kind,
            "gamma": self.kernel.gamma,
            "degree": self.kernel.degree,
            "coef0": self.kernel.coef0,
            "solver": self.solver,
            "tol": self.tol,
            "cache_size": self.cache_size,
            "max_iter": self.max_iter,
            "landmarks": self.landmarks,
            "random_state": self.random_state,
        }
        machine: Machine = (
            HingeSVC(**shared)
            if self.costs is None
            else DoubleHingeSVC(costs=self.costs.at_odds(self.odds), **shared)
        )
        machine._progress = progress  # noqa: SLF001 - the trainers' own channel
        machine.fit(rows.X, rows.signs, rows.training_weights * factors)
        machine._progress = None  # noqa: SLF001
        return machine


@dataclass(frozen=True, slots=True)
class Plan:
    """A reduction: the method with its parameters and the settings of its machines.

    The fields are the parameters of ``ReducedSetSVC``; ``first`` and ``last`` are the
    machines that mark rows and the one that predicts.
    """

    method: str
    rejection_cost: float
    distance: float
    removal: str
    first: MachineSettings
    last: MachineSettings
    hard_margin: bool = False
    max_accuracy_loss: float | None = None
    validation_fraction: float = 0.2
    random_state: int = 0
    landmarks: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """The unreduced machine, the reduced one, and what happened to the rows.

    ``reduced`` is None when only one class was left.
    """

    unreduced: Machine
    reduced: Machine | None
    marks: Marks
    changes: RowChanges


def run(plan: Plan, rows: LabelledRows, share: Share) -> Reduction:
    """Carry out a reduction.

    Parameters
    ----------
    plan : Plan
    rows : LabelledRows
    share : callable (number, of) -> progress
        Gives each of the machines its part of the caller's progress.
    """
    if plan.landmarks is not None:
        return _on_landmarks(plan, rows, share)
    two = plan.method == "m2rs"
    machines = 4 if two else 3
    unreduced = plan.last.fit(rows, share(0, machines))
    if two:
        marks = _disagreements(plan, rows, share)
    else:
        same = plan.first == plan.last
        first = unreduced if same else plan.first.fit(rows, share(1, machines))
        scores = first.positive_score(rows.X)
        marks = (
            by_posterior(scores, rows.signs, rows.weights, plan.rejection_cost)
            if plan.method == "m1rs"
            else by_distance(
                scores, rows.signs, plan.distance if plan.method == "ssca" else 0.0
            )
        )
    changes = apply_changes(marks, rows.signs, plan.removal)
    if changes.one_class:
        return Reduction(unreduced, None, marks, changes)
    if changes.removed == changes.flipped == 0:
        return Reduction(unreduced, unreduced, marks, changes)
    left = rows.take(changes.kept, changes.signs)
    C = plan.last.C * (_HARD if plan.hard_margin else 1.0)
    reduced = replace(plan.last, C=C).fit(left, share(machines - 1, machines))
    return Reduction(unreduced, reduced, marks, changes)


def _on_landmarks(plan: Plan, rows: LabelledRows, share: Share) -> Reduction:
    """Take no row away: the last machine is one of landmarks, where that is smaller."""
    unreduced = reduced = plan.last.fit(rows, share(0, 2))
    if plan.landmarks is not None and plan.landmarks < len(unreduced.support_):
        last = replace(
            plan.last, landmarks=plan.landmarks, random_state=plan.random_state
        )
        reduced = last.fit(rows, share(1, 2))
    none = np.zeros(len(rows.signs), dtype=np.bool_)
    marks = Marks(none, none)
    return Reduction(
        unreduced, reduced, marks, apply_changes(marks, rows.signs, "flip")
    )


def _disagreements(plan: Plan, rows: LabelledRows, share: Share) -> Marks:
    """Mark by two machines whose class weights are w_r and 1 - w_r, and the reverse."""
    cost = plan.rejection_cost
    positive = rows.signs > 0
    scores = []
    for number, (plus, minus) in enumerate(((cost, 1.0 - cost), (1.0 - cost, cost))):
        factors = np.where(positive, plus, minus)
        machine = plan.first.fit(rows, share(1 + number, 4), factors)
        scores.append(machine.positive_score(rows.X))
    return by_two(scores[0], scores[1], rows.signs)
