"""Plots of decisions with a reject option, in scikit-learn's manner.

Each display has ``from_estimator``, ``from_predictions`` and ``plot``; matplotlib is
imported when something is drawn.
"""

from solvers.display.classes import (
    AugmentedConfusionMatrixDisplay,
    ScoreDensityDisplay,
)
from solvers.display.curves import CostRejectDisplay, RiskCoverageDisplay

__all__ = [
    "AugmentedConfusionMatrixDisplay",
    "CostRejectDisplay",
    "RiskCoverageDisplay",
    "ScoreDensityDisplay",
]
