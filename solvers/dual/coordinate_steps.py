"""One sweep of dual coordinate descent: the hot loop of ``coordinate_descent``."""

import numpy as np
from numba import njit

__all__ = ["sweep"]

# Sums may be taken in any order, which vectorises them; infinities keep their meaning.
_SUMS = {"reassoc", "contract"}


@njit(cache=True, nogil=True, fastmath=_SUMS)
def sweep(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917 - of a hot loop
    Z, rows, places, squares, knots, slopes, w, bias, beta, step, slack, kept
):
    """Move the weights of ``rows``, whose features are ``Z[places]``, in turn.

    Returns the bias, the farthest that a score was moved, and how many of the places
    were written into ``kept``: the others are at a corner, farther inside than slack.
    """
    far = 0.0
    count = 0
    last = knots.shape[1]
    for a in range(len(places)):
        place = places[a]
        i = rows[place]
        z = Z[place]
        product = np.float32(0.0)
        for j in range(len(w)):
            product += z[j] * w[j]
        score = product + bias
        curvature = squares[place] + step
        free = score - curvature * beta[i]
        # -beta is the slope at the score free + curvature beta: the segment or knot.
        new = -slopes[i, last]
        segment = last
        for k in range(last):
            if free - curvature * slopes[i, k] <= knots[i, k]:
                segment = k
                new = -slopes[i, k]
                break
        if segment > 0 and free + curvature * new < knots[i, segment - 1]:
            new = (knots[i, segment - 1] - free) / curvature
        change = new - beta[i]
        corner = new == -slopes[i, segment]
        if change != 0.0:
            beta[i] = new
            far = max(far, abs(change) * curvature)
            bias += step * change
            moved = np.float32(change)
            for j in range(len(w)):
                w[j] += moved * z[j]
        low = knots[i, segment - 1] + slack if segment > 0 else -np.inf
        high = knots[i, segment] - slack if segment < last else np.inf
        if change != 0.0 or not corner or not low < score < high:
            kept[count] = place
            count += 1
    return bias, far, count
