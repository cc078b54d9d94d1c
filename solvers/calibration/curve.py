"""Log-odds that rise in pieces: a logistic curve that bends where the rows say so.

    log p / (1 - p) = h_k + (f - q_k) (h_k+1 - h_k) / (q_k+1 - q_k),  q_k <= f <= q_k+1

constant beyond the outer knots. Every piece holds the same share of both classes,
each class counted as one half. The slopes are never negative, a difference between
neighbours has its price, and the targets are Platt's smoothed ones. So the curve is
a sigmoid where rows are few, and it says 0 or 1 nowhere.

A free curve (isotonic regression) follows the luck of single blocks, and a rule then
picks the lucky ones: the rows that it calls -1 because their block came out low cost
more than the block promised. A few pieces leave little luck to pick from, and the
price of a bend is the one that makes the labels most probable (Laplace's approximation
of the evidence, bends drawn from a normal distribution whose variance is one over the
price): scores that bend sharply keep their bends, others lose most. The ends are told
as if each had seen one more row, a mean one: a few rows without a +1 show little.
Source: MacKay (1992), "Bayesian interpolation", section 4.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.calibration.logistic import fit_rising, log_evidence, spread_of
from solvers.calibration.sigmoid import smoothed_targets

__all__ = ["fit_curve"]

Floats = NDArray[np.float64]

SMOOTH = (0.03, 0.3, 3.0)
"""Prices of a bend: more misses sharp ones, less follows luck."""
_ASKED = 20_000
"""Rows that choose the price, at most: they tell it as well as more would."""
OUTER = 0.01
"""Share beyond each outer knot, so that single far scores do not hold a piece."""


def fit_curve(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats, pieces: int
) -> tuple[Floats, Floats]:
    """Return knots (ascending scores) and the log-odds there.

    There is one knot only where all scores are equal.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
    positive : ndarray of bool, shape (n_rows,)
    weights : ndarray of shape (n_rows,)
    pieces : int
        At most.
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
    # Unequal weights tell less than as many equal ones: Kish's effective number.
    weights = weights * (weights.sum() / (weights @ weights))
    smooth = _price(risen, targets, weights)
    found = fit_rising(risen, targets, weights, smooth)
    # How much of each slope stands in the height at each knot.
    rises = np.tril(np.ones((len(knots), len(width))), -1) * width
    at_knots = np.column_stack((np.ones(len(knots)), rises))
    heights = at_knots @ found
    if heights[0] < heights[-1]:
        spread = spread_of(at_knots[[0, -1]], risen, weights, found, smooth)
        share = float(np.average(targets, weights=weights))
        low, high = _moderate(heights[[0, -1]], spread, share)
        heights[0] = min(low, heights[1])
        heights[-1] = max(high, heights[-2])
    return knots * largest, heights


def _moderate(heights: Floats, spread: Floats, share: float) -> Floats:
    """Return heights as if each had seen one more row, of the share of all rows.

    What a height rests on is worth the rows whose own share would vary like it.
    """
    p = 0.5 * (1.0 + np.tanh(0.5 * heights))
    rows = 1.0 / (spread * p * (1.0 - p))
    p = (rows * p + share) / (rows + 1.0)
    return np.log(p / (1.0 - p))


def _price(risen: Floats, targets: Floats, weights: Floats) -> float:
    """Return the price of a bend that makes the targets most probable."""
    if risen.shape[1] < 2:  # nothing can bend
        return SMOOTH[0]
    some = slice(None, None, -(-len(risen) // _ASKED))
    rows = (risen[some], targets[some], weights[some])
    evidence = [
        log_evidence(*rows, fit_rising(*rows, price), price) for price in SMOOTH
    ]
    return SMOOTH[int(np.argmax(evidence))]


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
