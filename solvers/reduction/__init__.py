"""Which training rows a smaller support vector machine is trained without."""

from solvers.reduction.changes import RowChanges, apply_changes
from solvers.reduction.methods import METHODS, REMOVALS, Marks
from solvers.reduction.risk import best_posterior_threshold, rejection_risk

__all__ = [
    "METHODS",
    "REMOVALS",
    "Marks",
    "RowChanges",
    "apply_changes",
    "best_posterior_threshold",
    "rejection_risk",
]
