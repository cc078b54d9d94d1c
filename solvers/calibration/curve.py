"""Log-odds that rise in pieces: a logistic curve that bends where the rows say so.

    log p / (1 - p) = h_k + (f - q_k) (h_k+1 - h_k) / (q_k+1 - q_k),  q_k <= f <= q_k+1

constant beyond the outer knots. Every piece holds the same share of both classes,
each class counted as one half. The slopes are never negative, a difference between
neighbours has its price, and the targets are Platt's smoothed ones. So the curve is
a sigmoid where rows are few, and it says 0 or 1 nowhere.

A free curve (isotonic regression) follows the luck of single blocks, and a rule then
picks the lucky ones: the rows that it calls -1 because their block came out low cost
more than the block promised. A few pieces leave little luck to pick from.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.calibration.logistic import fit_rising
from solvers.calibration.sigmoid import smoothed_targets

__all__ = ["fit_curve"]

Floats = NDArray[np.float64]

SMOOTH = 0.03
"""Price of a bend: with more the curve misses sharp ones, with less it follows luck."""
OUTER = 0.01
"""Share beyond each outer knot, so that single far scores do not hold a piece."""


def fit_curve(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats, pieces: int
) -> tuple[Floats, Floats]:
    """Return knots (ascending scores) and the log-odds there.

    There is one knot only where all scores are equal.
    """
    largest = float(np.max(np.abs(scores))) or 1.0
    scores = scores / largest
    knots = _knots(scores, positive, weights, pieces)
    # In units of what lies between the middle knots, a slope is of order one.
    unit = float(np.ptp(np.quantile(knots, (0.25, 0.75)))) or 1.0
    width = np.diff(knots) / unit
    # How far each score has risen in each piece.
    place = np.interp(scores, knots, np.arange(len(knots)))
    risen = np.clip(place[:, np.newaxis] - np.arange(len(width)), 0.0, 1.0) * width
    targets = smoothed_targets(positive, weights)
    found = fit_rising(risen, targets, weights, SMOOTH)
    rises = np.concatenate(([0.0], found[1:] * width))
    return knots * largest, found[0] + np.cumsum(rises)


def _knots(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats, pieces: int
) -> Floats:
    of_class = np.array([weights[~positive].sum(), weights[positive].sum()])
    mass = weights / of_class[positive.astype(np.int64)]
    order = np.argsort(scores, kind="stable")
    below = np.cumsum(mass[order])
    places = np.linspace(OUTER, 1.0 - OUTER, pieces + 1) * below[-1]
    knots = np.unique(np.interp(places, below, scores[order]))
    # Knots closer than this would make an infinite slope.
    gap = 1e-9 * float(np.ptp(knots))
    return knots[np.concatenate(([True], np.diff(knots) > gap))]
