"""Held-out rows that equal a training row: their figures say little about new rows."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["count_twins", "twin_warnings"]

Floats = NDArray[np.float64]


def count_twins(training: Floats, held: Floats) -> int:
    """Return how many held-out rows have all their encoded columns in a training row.

    Parameters
    ----------
    training : ndarray of shape (n_training, n_encoded)
    held : ndarray of shape (n_held, n_encoded)
    """
    # Adding zero turns -0.0 into 0.0: equal numbers are equal bytes then.
    known = {row.tobytes() for row in training + 0.0}
    return sum(row.tobytes() in known for row in held + 0.0)


def twin_warnings(training: Floats, held: Floats) -> list[str]:
    """Return the warning that held-out rows equal training rows, where some do."""
    twins = count_twins(training, held)
    if not twins:
        return []
    return [
        f"{twins} of {len(held)} held-out rows equal a training row in every feature:"
        " the evaluation flatters the model if they are the same cases; name a column"
        " that tells cases apart under /groups"
    ]
