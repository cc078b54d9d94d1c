"""What a pair (h, r) says of the probability, where its rule decides by both.

    t = log(1 + exp(h + k r)) - log(1 + exp(-h + k r)),     k >= 0

A row that r accepts keeps the sign of h and all of its size (t goes to 2 h), one that r
rejects is doubtful whatever h says (t goes to 0), and k = 0 is h itself. The stumps of
a rejector know of a row what those of the classifier do not; a probability of h alone
is too doubtful for what the rejector lets pass, and the costs that are told of it are
too high. k is the one, of a few in units of the spread of r, at which the calibrated
labels are most probable; it has to be worth one unit of log-likelihood, since it is one
more number that is fitted (Akaike 1974).
"""

import numpy as np
from numpy.typing import NDArray

from solvers.calibration.fit import fit_calibration

__all__ = ["choose_leaning", "leaned"]

Floats = NDArray[np.float64]

LEANINGS = (0.5, 1.0, 2.0)
"""In units of one over the standard deviation of r."""
_PRICE = 1.0


def leaned(h: Floats, r: Floats, leaning: float) -> Floats:
    """Return t of each row, shape (n_rows,); h where ``leaning`` is 0."""
    if not leaning:
        return h
    lean = leaning * r
    return np.asarray(np.logaddexp(0.0, lean + h) - np.logaddexp(0.0, lean - h))


def choose_leaning(h: Floats, r: Floats, y: NDArray[np.int8], weights: Floats) -> float:
    """Return k.

    Parameters
    ----------
    h, r : ndarray of shape (n_rows,)
        Of rows that the pair was not fitted on.
    y : ndarray of shape (n_rows,)
        Labels -1 and +1.
    weights : ndarray of shape (n_rows,)
    """
    spread = float(np.std(r))
    if not spread > 0.0:
        return 0.0
    tried = [0.0, *(times / spread for times in LEANINGS)]
    worth = [_likelihood(leaned(h, r, k), y, weights) - _PRICE * (k > 0) for k in tried]
    return tried[int(np.argmax(worth))]


def _likelihood(values: Floats, y: NDArray[np.int8], weights: Floats) -> float:
    p = fit_calibration(values, y, weights).probability(values)
    # Unequal weights tell less than as many equal ones: Kish's effective number.
    counts = weights * (weights.sum() / (weights @ weights))
    return float(counts @ np.where(y > 0, np.log(p), np.log1p(-p)))
