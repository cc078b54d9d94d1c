"""The widest of a chain of bands whose error is certified.

A curve through the rows that select says where the two classes balance, at c. The rows
that test are then taken by rising doubt, those farthest from c first, and the bands

    decide a row where |score - c| > d,     d from infinity down to 0,

are tested one after the other, each at level delta, from the band on that decides
``first`` rows, up to the first failure (fixed-sequence testing):

    P( the widest band before it breaks the limit ) <= delta.

For the bands decide ever more, and the first of them that breaks the limit depends on
the testing rows only by where the chain begins: it begins at a *number* of rows, which
the scores alone tell. Given that, the errors among the rows of that first band are at
least binomial at the limit, however error and doubt are related. Rows of equal doubt
are taken in the order drawn, which is a chain of finer bands; only bands that whole
groups of equals belong to are served. ``first`` is where the selecting rows foresee the
surest test: very few rows prove nothing, and one error among them ends all.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.calibration.sigmoid import fit_sigmoid
from solvers.rules.band import Band
from solvers.rules.certified_search import Split
from solvers.rules.tails import binomial_tail, mean_loss_tail, most_errors

__all__ = ["SELECTION_SHARE", "Chain", "chain_of"]

Floats = NDArray[np.float64]

# Share of the rows that choose centre and beginning.
SELECTION_SHARE = 0.1
# What a scorer's own zero is worth where few rows say where the classes balance, in
# rows; what it is worth where those rows contradict it; and by how much they must, in
# log-likelihood.
_PRIOR, _DOUBTED, _CONTRADICTED = 20.0, 3.0, 0.5
# How much of the foresight is the smooth curve, the rest being the labels.
_CURVE = 0.8
# How many bands are tested at once.
_AT_ONCE = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """The rows that test, by rising doubt.

    Parameters
    ----------
    center : float
    distance : ndarray of shape (n_testing,)
        From the centre, falling.
    wrong : ndarray of shape (n_testing,)
        Errors among the first k rows: known for labels, expected for probabilities.
    foreseen : ndarray of shape (n_testing,)
        The same, as the selecting rows expect it.
    certain : bool
        Whether every row has a label, not a probability.
    """

    center: float
    distance: Floats
    wrong: Floats
    foreseen: Floats
    certain: bool

    def widest(self, limit: float, delta: float) -> int:
        """Return how many testing rows the widest certified band decides; 0: none."""
        n = len(self.distance)
        if n == 0:
            return 0
        # Where rows are many, every hundredth more is near enough to begin with.
        rows = np.unique(np.geomspace(1.0, n, 1000).round())
        if n <= len(rows) * 2:
            rows = np.arange(1.0, n + 1.0)
        place = rows.astype(np.intp) - 1
        level = delta if self.certain else delta / 2.0
        rate = np.minimum((self.foreseen[place] + 0.5) / rows, 1.0)
        most = most_errors(rows, limit, level)
        sure = np.where(most < 0.0, 0.0, binomial_tail(most, rows, rate))
        if not sure.max() > 0.0:
            return 0
        first = decided = int(place[int(np.argmax(sure))])
        while decided < n:
            passed = self._doubt(decided, min(decided + _AT_ONCE, n), limit) <= delta
            decided += len(passed) if passed.all() else int(np.argmin(passed))
            if not passed.all():
                break
        if decided in {first, n}:
            return 0 if decided == first else n
        # Of equals, all or none.
        return int(np.searchsorted(-self.distance, -self.distance[decided], "left"))

    def _doubt(self, begin: int, end: int, limit: float) -> Floats:
        """Return the p-values of the bands that decide begin + 1 to end rows."""
        wrong, rows = self.wrong[begin:end], np.arange(begin + 1.0, end + 1.0)
        if self.certain:
            return binomial_tail(wrong, rows, limit)
        return mean_loss_tail(wrong / rows, rows, limit)

    def band(self, decided: int) -> Band:
        """Return the band that decides so many of the testing rows."""
        if decided == len(self.distance):
            return Band(self.center, self.center, closed=True)
        inside, outside = self.distance[decided - 1], self.distance[decided]
        width = outside + (inside - outside) / 2.0
        return Band(self.center - width, self.center + width, closed=True)


def chain_of(split: Split) -> Chain:
    """Return the chain of bands that the selecting rows propose."""
    slope, intercept = _curve(*split.selection)
    center = -intercept / slope
    scores, share = split.testing
    distance = np.abs(scores - center)
    order = np.argsort(-distance, kind="stable")
    wrong = np.where(scores >= center, 1.0 - share, share)[order]
    expected = 1.0 / (1.0 + np.exp(np.minimum(slope * distance[order], 700.0)))
    seen, seen_share = split.selection
    off = np.abs(seen - center)
    nearer = np.argsort(-off, kind="stable")
    errors = np.cumsum(np.where(seen >= center, 1.0 - seen_share, seen_share)[nearer])
    place = np.searchsorted(-off[nearer], -distance[order], side="right")
    labels = np.concatenate(([0.0], errors))[place] * len(scores) / len(seen)
    certain = all(
        bool(((part == 0.0) | (part == 1.0)).all()) for part in (share, seen_share)
    )
    return Chain(
        center,
        distance[order],
        np.cumsum(wrong),
        _CURVE * np.cumsum(expected) + (1.0 - _CURVE) * labels,
        certain,
    )


def _curve(scores: Floats, share: Floats) -> tuple[float, float]:
    """Return slope and intercept of the log-odds, by these rows and a few believed.

    Those say what a score means where nothing else does: above 0 is +1. Of scores whose
    zero is elsewhere (costs, a shift, probabilities) these rows say otherwise, and then
    they are believed.
    """
    believing, doubting = (_fitted(scores, share, p) for p in (_PRIOR, _DOUBTED))
    gain = _likelihood(scores, share, *doubting)
    gain -= _likelihood(scores, share, *believing)
    return doubting if gain > _CONTRADICTED else believing


def _likelihood(scores: Floats, share: Floats, slope: float, intercept: float) -> float:
    z = slope * scores + intercept
    return float((share * z - np.logaddexp(0.0, z)).sum())


def _fitted(scores: Floats, share: Floats, prior: float) -> tuple[float, float]:
    """Return the curve where zero is worth so many rows."""
    n, far = len(scores), float(np.abs(scores).max()) or 1.0
    unit = min(far * float(np.sqrt(np.mean((scores / far) ** 2))) or 1.0, 1e300)
    believed = unit * np.array([1.0, -1.0, 2.0, -2.0])
    slope, intercept = fit_sigmoid(
        np.concatenate((scores, scores, believed)),
        np.concatenate((np.ones(n, bool), np.zeros(n, bool), believed > 0.0)),
        np.concatenate((share, 1.0 - share, np.full(4, prior / 4.0))),
    )
    # A curve that does not rise has no centre: the scorer's own.
    return (slope, intercept) if slope > 0.0 else (1.0 / unit, 0.0)
