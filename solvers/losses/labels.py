"""Losses of a label: one function for y = +1, one for y = -1."""

import numpy as np
from numpy.typing import ArrayLike

from solvers.errors import InvalidLossError
from solvers.losses.piecewise import PiecewiseLinear

__all__ = ["by_label"]


def by_label(
    positive: PiecewiseLinear, negative: PiecewiseLinear, labels: ArrayLike
) -> PiecewiseLinear:
    """Return ``positive`` where the label is +1 and ``negative`` where it is -1.

    Parameters
    ----------
    positive, negative : PiecewiseLinear
        One row each.
    labels : array-like of shape (n_rows,), values -1 and +1

    Raises
    ------
    InvalidLossError
        When a label is neither.
    """
    y = np.asarray(labels)
    if not np.isin(y, (-1, 1)).all():
        msg = f"labels must be -1 or +1, got {np.setdiff1d(y, (-1, 1))[:5]}"
        raise InvalidLossError(msg)
    both = PiecewiseLinear.concatenated([positive, negative])
    return both.take((y < 0).astype(np.intp))
