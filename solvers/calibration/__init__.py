"""From scores of unseen rows to a probability of +1."""

from solvers.calibration.calibration import Calibration
from solvers.calibration.fit import fit_calibration

__all__ = ["Calibration", "fit_calibration"]
