"""Weights of an ensemble: greedy selection with replacement, by the log loss.

Source: Caruana, Niculescu-Mizil, Crew, Ksikes (2004).
"""

import numpy as np
from numpy.typing import NDArray

from solvers.trainers.boosting_rows import TrainingRows

__all__ = ["greedy_weights", "log_loss"]

Floats = NDArray[np.float64]


def greedy_weights(odds: Floats, seen: TrainingRows, steps: int) -> Floats:
    """Return weights that add up to 1, shape (n_members,).

    Parameters
    ----------
    odds : ndarray of shape (n_members, n_rows)
        Log-odds of rows that no member learnt from.
    seen : TrainingRows
        Those rows.
    steps : int
    """
    total = np.zeros(odds.shape[1])
    counts, best = np.zeros(len(odds)), np.zeros(len(odds))
    least = np.inf
    for step in range(1, steps + 1):
        losses = [log_loss((total + z) / step, seen) for z in odds]
        chosen = int(np.argmin(losses))
        total += odds[chosen]
        counts[chosen] += 1.0
        if losses[chosen] < least:
            least, best = losses[chosen], counts / step
    return best


def log_loss(odds: Floats, seen: TrainingRows) -> float:
    """Return the mean log loss of log-odds of +1 on some rows."""
    return float(np.average(np.logaddexp(0.0, -seen.y * odds), weights=seen.weight))
