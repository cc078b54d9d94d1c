"""The thresholds that tell most about the truth, without any costs.

    max  I_m(f_-, f_+)     subject to  f_- <= f_+                                 (5)

``method="newton"`` maximises it on Parzen densities; the smoothing generalises better
than the empirical optimum, above all on few rows. ``method="exact"`` is the empirical
optimum, in O(n log n). Source: Xu and Hu (2013).

How the exact optimum is found: sort the scores; each threshold then has n + 1 cuts. For
many rows most cuts are never evaluated: between two block boundaries the curve
(positives, negatives below the cut) stays in a rectangle. ``g`` is convex, so it is
largest at a corner; it falls towards the ray where the shares equal the priors, so at
one of the two corners away from it. A block whose corners stay below the best cut found
so far cannot hold a better one.

When the two optima cross, the best pair with ``f_- <= f_+`` follows from a running
maximum over all cuts.
"""

from dataclasses import dataclass, field
from math import isfinite
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from solvers.errors import UnknownNameError
from solvers.rules.band import Band
from solvers.rules.base import LearnedRule, parameter
from solvers.rules.counts import (
    Counts,
    SortedScores,
    between,
    count,
    counts_of,
    sort_scores,
)
from solvers.rules.densities import ScoreDensities, estimate_densities
from solvers.rules.embedded_costs import EmbeddedCosts, embedded_costs
from solvers.rules.objectives import InformationObjective, side_information
from solvers.rules.smooth_optimum import maximise_band

__all__ = ["MutualInformationRule", "best_information_band"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

METHODS = ("newton", "exact")

_BLOCK = 64
# Below this many rows, evaluating every cut is faster than bounding.
_FEW = 8192


def best_information_band(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats | None = None
) -> Band:
    """Return the closed band with the largest modified mutual information."""
    if weights is not None or len(scores) < _FEW:
        return _by_all_cuts(count(scores, positive, weights))
    ordered = sort_scores(scores, positive)
    if _has_many_ties(ordered):
        return _by_all_cuts(counts_of(ordered))
    below, above = _best_of_blocks(ordered)
    if below <= above:
        return Band(_threshold(ordered, below), _threshold(ordered, above), closed=True)
    return _by_all_cuts(counts_of(ordered))


def _has_many_ties(ordered: SortedScores) -> bool:
    """Tell from a thousand positions whether fewer than half of the cuts are legal."""
    rows = np.linspace(0, len(ordered.is_positive) - 2, 1000).astype(np.intp)
    return bool(np.mean(ordered.differs_from_next(rows)) < 0.5)


def _by_all_cuts(counts: Counts) -> Band:
    total = counts.positives + counts.negatives
    prior = counts.positives / total
    lower = side_information(
        counts.positive_below / total, counts.negative_below / total, prior
    )
    upper = side_information(
        counts.positive_above / total, counts.negative_above / total, prior
    )
    joint = np.maximum.accumulate(lower) + upper
    j = int(np.argmax(joint))
    i = j - int(np.argmax(lower[j::-1]))  # the last maximum: it rejects least
    return Band(counts.threshold(i), counts.threshold(j), closed=True)


def _best_of_blocks(ordered: SortedScores) -> tuple[int, int]:
    """Return the best number of rows below the lower and below the upper threshold."""
    labels = ordered.is_positive
    n_rows = len(labels)
    below = np.append(np.arange(0, n_rows, _BLOCK), n_rows)
    positive = _sum_of_blocks(labels)
    prior = float(positive[-1]) / n_rows
    sides = (
        (positive, below - positive),
        (positive[-1] - positive, (n_rows - below) - (positive[-1] - positive)),
    )
    best = []
    for side, (x, w) in enumerate(sides):
        bound = _corner_bound(x / n_rows, w / n_rows, prior)
        # A good incumbent first, then whatever could still beat it.
        chosen = np.argsort(bound)[-8:]
        incumbent, cut = _best_in(ordered, chosen, positive, prior, side)
        chosen = np.flatnonzero(bound >= incumbent * (1.0 - 1e-12))
        _, better = _best_in(ordered, chosen, positive, prior, side)
        best.append(better if better >= 0 else cut)
    return best[0], best[1]


def _sum_of_blocks(labels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return how many of the first 0, 64, 128, ... labels are 1."""
    packed = np.packbits(labels)
    words = np.zeros(-(-len(labels) // _BLOCK) * 8, dtype=np.uint8)
    words[: len(packed)] = packed
    ones = np.bitwise_count(words.view(np.uint64)).astype(np.int64)
    return np.concatenate(([0], np.cumsum(ones)))


def _corner_bound(x: Floats, w: Floats, prior: float) -> Floats:
    return np.maximum(
        side_information(np.maximum(x[1:], x[:-1]), np.minimum(w[1:], w[:-1]), prior),
        side_information(np.minimum(x[1:], x[:-1]), np.maximum(w[1:], w[:-1]), prior),
    )


def _best_in(
    ordered: SortedScores,
    blocks: NDArray[np.intp],
    positive: NDArray[np.int64],
    prior: float,
    side: int,
) -> tuple[float, int]:
    """Return the best value and cut (rows below) within these blocks; -1: none."""
    n_rows = len(ordered.is_positive)
    rows = blocks[:, None] * _BLOCK + np.arange(_BLOCK)
    inside = rows < n_rows
    clipped = np.minimum(rows, n_rows - 1)
    gained = np.cumsum(np.where(inside, ordered.is_positive[clipped], 0), axis=1)
    x = (positive[blocks][:, None] + gained)[inside].astype(np.float64)
    cut = rows[inside] + 1
    # A cut inside a group of tied scores cannot be made; 0 and n always can.
    legal = np.ones(len(cut), dtype=bool)
    inner = cut < n_rows
    legal[inner] = ordered.differs_from_next(cut[inner] - 1)
    cut, x = np.append(cut[legal], 0), np.append(x[legal], 0.0)
    w = cut - x
    if side == 1:
        total = float(positive[-1])
        x, w = total - x, (n_rows - total) - w
    value = side_information(x / n_rows, w / n_rows, prior)
    best = int(np.argmax(value))
    return float(value[best]), int(cut[best])


def _threshold(ordered: SortedScores, below: int) -> float:
    n_rows = len(ordered.is_positive)
    if below <= 0:
        return -np.inf
    if below >= n_rows:
        return np.inf
    left, right = ordered.values(slice(below - 1, below + 1))
    return between(float(left), float(right))


@dataclass(eq=False)
class MutualInformationRule(LearnedRule):
    """Most modified mutual information between truth and decision.

    Parameters
    ----------
    method : {"newton", "exact"}, default="newton"
        On Parzen densities, or the exact empirical optimum.

    Attributes
    ----------
    densities_ : ScoreDensities
        Parzen densities of the scores (made on first use where the method is exact).
    n_iter_ : int
        Newton iterations of the best start (0 where the method is exact).
    """

    kind: ClassVar[str] = "mutual-information"
    costs_use: ClassVar[Literal["needed", "symmetric", "optional"]] = "optional"

    method: str = field(
        default="newton",
        metadata=parameter(
            "choice",
            "newton: on smoothed densities; exact: the empirical optimum.",
            choices=METHODS,
        ),
    )

    def _learn(self, scores: Floats, positive: Bools, weights: Floats | None) -> None:
        if self.method not in METHODS:
            what = "method"
            raise UnknownNameError(what, self.method, METHODS)
        self._rows = scores, positive, weights
        self._densities: ScoreDensities | None = None
        self.n_iter_ = 0
        if self.method == "exact":
            self.band_ = best_information_band(scores, positive, weights)
            return
        optimum = maximise_band(InformationObjective(self.densities_))
        self.band_ = Band(optimum.lower, optimum.upper, closed=True)
        self.n_iter_ = optimum.iterations

    @property
    def densities_(self) -> ScoreDensities:
        """Return the Parzen densities of the scores the rule was fitted on."""
        if self._densities is None:
            self._densities = estimate_densities(*self._rows)
        return self._densities

    def embedded_costs(self, reject_negative: float | None = None) -> EmbeddedCosts:
        """Return the costs at which these thresholds are cheapest.

        Parameters
        ----------
        reject_negative : float in (0, 1), optional
            Fix this cost (16); ``None``: both reject costs are equal (15).
        """
        band = self.fitted
        return embedded_costs(self.densities_, band.lower, band.upper, reject_negative)

    def facts(self) -> dict[str, Any]:
        """Return the method and the embedded costs under both constraints."""
        facts: dict[str, Any] = {"method": self.method, "embedded_costs": None}
        if isfinite(self.lower_) and isfinite(self.upper_):
            facts["embedded_costs"] = {
                "equal_reject_costs": self.embedded_costs().payload(),
                "reject_negative_fixed": self.embedded_costs(0.4).payload(),
            }
        return facts
