"""Which training rows a smaller support vector machine is trained without."""

from solvers.reduction.changes import RowChanges, apply_changes
from solvers.reduction.methods import Marks
from solvers.reduction.risk import best_posterior_threshold, rejection_risk

__all__ = [
    "Marks",
    "RowChanges",
    "apply_changes",
    "best_posterior_threshold",
    "rejection_risk",
]
