"""Draw whole groups of rows, so that early stopping is not judged on their siblings.

Groups are taken largest first, in random order among equals, each while it brings both
classes nearer to the wanted share:

    |missing - brings|^2 < |missing|^2,   missing = share (1, 1) at first,

where ``brings`` holds the parts of either class that are in the group.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_groups"]


def draw_groups(
    positive: NDArray[np.bool_],
    groups: NDArray[np.intp],
    share: float,
    random: np.random.RandomState,
) -> NDArray[np.bool_]:
    """Return which rows are drawn: about ``share`` of either class, groups whole.

    Parameters
    ----------
    positive : ndarray of shape (n_rows,)
    groups : ndarray of shape (n_rows,)
        Rows of one number stay together.
    share : float
    random : RandomState
    """
    unit = np.unique(groups, return_inverse=True)[1]
    counts = np.zeros((int(unit.max()) + 1, 2))
    np.add.at(counts, (unit, positive.astype(np.intp)), 1.0)
    brings = counts / np.maximum(counts.sum(axis=0), 1.0)
    shuffled = random.permutation(len(counts))
    order = shuffled[np.argsort(-counts[shuffled].sum(axis=1), kind="stable")]
    chosen = np.zeros(len(counts), dtype=bool)
    missing = np.full(2, share)
    for group in order:
        left = missing - brings[group]
        if left @ left < missing @ missing:
            chosen[group] = True
            missing = left
    return chosen[unit]
