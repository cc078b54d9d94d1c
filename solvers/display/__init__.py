"""Plots of decisions with a reject option, in scikit-learn's manner.

Each display has ``from_estimator``, ``from_predictions`` and ``plot``; matplotlib is
imported when something is drawn.
"""

from solvers.display.confusion import AugmentedConfusionMatrixDisplay
from solvers.display.cost import CostRejectDisplay
from solvers.display.densities import ScoreDensityDisplay
from solvers.display.risk_coverage import RiskCoverageDisplay

__all__ = [
    "AugmentedConfusionMatrixDisplay",
    "CostRejectDisplay",
    "RiskCoverageDisplay",
    "ScoreDensityDisplay",
]
