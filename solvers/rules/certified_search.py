"""Search for a band on some rows, certify it on others.

The rows are split at random (see ``drawing``). The first part makes a short list: pairs
of thresholds, the surest to satisfy the demand first, each next one better in what we
want (more cases decided, or less cost) and less sure; how sure is judged from smoothed
counts, since the luckiest of many pairs is seldom the best. The second part tests the
list in this order, each pair at level delta, and stops at the first failure.

    P( some certified pair breaks the demand ) <= delta

because the list does not depend on the rows that test it, so each test is an exact
one, and the first pair on the list that breaks the demand passes with probability at
most delta (fixed-sequence testing: this is the correction for having searched). Which
certified pair is taken may then depend on anything. Ties among the scores do not
matter: the thresholds are fixed before the testing rows are counted. A row whose label
is a probability stands in both lines of the counts, by its share, and is one row.

Sources: Angelopoulos et al. (2021), learn then test; Laufer-Goldenberg et al. (2023),
Pareto testing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.calibration.sigmoid import fit_sigmoid
from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.rules.counts import count
from solvers.rules.drawing import drawn_rows

__all__ = [
    "PairCounts",
    "Pairs",
    "Sample",
    "Split",
    "certified",
    "count_pairs",
    "foreseen_counts",
    "pairs_of",
    "split_rows",
]

Floats = NDArray[np.float64]

# Share of the rows that makes the short list.
SELECTION_SHARE = 0.2
_CUTS = 64
# How much of the foresight is the smooth curve, the rest being the labels.
_CURVE = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Scores, and how surely each row is +1, of the two parts.

    Parameters
    ----------
    selection, testing : (ndarray, ndarray)
        In the order that was drawn.
    units : int
        What was drawn into either: rows, or groups of rows.
    """

    selection: tuple[Floats, Floats]
    testing: tuple[Floats, Floats]
    units: int


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Candidate pairs of thresholds, shape (k,) each, lower <= upper."""

    lower: Floats
    upper: Floats

    def band(self, k: int) -> Band:
        """Return candidate k as a closed band."""
        return Band(float(self.lower[k]), float(self.upper[k]), closed=True)


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """How often each candidate says what, on some rows; shape (k,) each."""

    rows: float
    true_positive: Floats
    false_negative: Floats
    reject_positive: Floats
    false_positive: Floats
    true_negative: Floats
    reject_negative: Floats

    @property
    def decided(self) -> Floats:
        """Return how many rows each candidate decides."""
        return np.asarray(self.rows - self.reject_positive - self.reject_negative)

    def spent(self, costs: CostMatrix) -> Floats:
        """Return what the rows cost together, as each candidate decides them."""
        return np.asarray(
            costs.false_negative * self.false_negative
            + costs.reject_positive * self.reject_positive
            + costs.false_positive * self.false_positive
            + costs.reject_negative * self.reject_negative
        )


# p-values of candidates on some rows: small where the demand is surely satisfied.
Test = Callable[[Pairs, PairCounts], Floats]
# What is wanted of candidates, larger is better.
Wish = Callable[[PairCounts], Floats]


def split_rows(
    scores: Floats,
    share: Floats,
    groups: NDArray[Any] | None = None,
    keys: ArrayLike | None = None,
    selecting: float = SELECTION_SHARE,
) -> Split:
    """Return a split at random, the same for the same rows in any order.

    Parameters
    ----------
    scores, share : ndarray of shape (n_rows,)
        Scores, and the probability of +1: 1 or 0 for a label.
    groups : ndarray of shape (n_rows,), optional
        Rows of one group were drawn together: they select together, and one of them,
        drawn, tests.
    keys : array-like of shape (n_rows,), optional
        What tells rows apart; scores and labels where it is not given.
    selecting : float, default=0.2
        Share of the rows (groups) that select.
    """
    drawn = drawn_rows(scores, share, groups, keys)
    first = max(1, round(selecting * len(drawn)))
    picked, rest = drawn[:first], drawn[first:]
    if groups is not None:
        picked = np.flatnonzero(np.isin(groups, groups[picked]))
    return Split(
        (scores[picked], share[picked]), (scores[rest], share[rest]), len(drawn)
    )


def pairs_of(scores: Floats, share: Floats) -> Pairs:
    """Return all pairs of up to 64 cuts between distinct scores, -inf and +inf too."""
    counts = count(scores, share >= 0.5)
    cuts = len(counts.values) + 1
    if cuts <= _CUTS:
        chosen = np.arange(cuts)
    else:
        # Evenly spread over the rows: dense where the scores are.
        below = counts.positive_below + counts.negative_below
        wanted = np.linspace(0.0, below[-1], _CUTS)
        chosen = np.unique(np.searchsorted(below, wanted))
    thresholds = np.asarray([counts.threshold(int(cut)) for cut in chosen])
    i, j = np.triu_indices(len(thresholds))
    # The pair that rejects everything promises nothing.
    useful = ~(np.isneginf(thresholds[i]) & np.isposinf(thresholds[j]))
    return Pairs(thresholds[i[useful]], thresholds[j[useful]])


def count_pairs(pairs: Pairs, scores: Floats, share: Floats) -> PairCounts:
    """Return what each candidate says of these rows."""
    return _summed(pairs, scores, np.asarray(share, dtype=np.float64))


def foreseen_counts(
    pairs: Pairs, scores: Floats, share: Floats, rows: int
) -> PairCounts:
    """Return what each candidate may be expected to say of ``rows`` other rows.

    Four parts of a logistic curve through these rows and one part of their labels.
    """
    slope, intercept = fit_sigmoid(
        np.concatenate((scores, scores)),
        np.arange(2 * len(scores)) < len(scores),
        np.concatenate((share, 1.0 - share)),
    )
    curve = 0.5 * (1.0 + np.tanh(0.5 * (slope * scores + intercept)))
    smooth = _CURVE * curve + (1.0 - _CURVE) * share
    return _summed(pairs, scores, smooth, rows / len(scores))


def _summed(
    pairs: Pairs, scores: Floats, share: Floats, factor: float = 1.0
) -> PairCounts:
    """Count rows that are +1 to a share, each standing for ``factor`` rows."""
    order = np.argsort(scores, kind="stable")
    below = np.searchsorted(scores[order], pairs.lower, side="left")
    upto = np.searchsorted(scores[order], pairs.upper, side="left")
    plus = factor * np.concatenate(([0.0], np.cumsum(share[order])))
    minus = factor * np.arange(len(scores) + 1.0) - plus
    return PairCounts(
        rows=factor * len(scores),
        true_positive=plus[-1] - plus[upto],
        false_negative=plus[below],
        reject_positive=plus[upto] - plus[below],
        false_positive=minus[-1] - minus[upto],
        true_negative=minus[below],
        reject_negative=minus[upto] - minus[below],
    )


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows, and how they are split into those that choose and those that test.

    Parameters
    ----------
    scores, share : ndarray of shape (n_rows,)
        Scores, and the probability of +1: 1 or 0 for a label.
    split : Split
    """

    scores: Floats
    share: Floats
    split: Split

    def best_band(self, test: Test, wish: Wish, delta: float) -> Band | None:
        """Return the certified band that is wanted most on all rows; None: none is."""
        pairs = pairs_of(*self.split.selection)
        passed = certified(pairs, self.split, test, wish, delta)
        if not len(passed):
            return None
        wanted = wish(count_pairs(pairs, self.scores, self.share))[passed]
        return pairs.band(int(passed[int(np.argmax(wanted))]))


def certified(
    pairs: Pairs, split: Split, test: Test, wish: Wish, delta: float
) -> NDArray[np.intp]:
    """Return the candidates that passed, in the order of the list."""
    rows = len(split.testing[0])
    if not rows:  # one group alone selects, and nothing tests
        return np.empty(0, dtype=np.intp)
    foreseen = foreseen_counts(pairs, *split.selection, rows)
    listed = _short_list(test(pairs, foreseen), wish(foreseen))
    if not len(listed):
        return listed
    short = Pairs(pairs.lower[listed], pairs.upper[listed])
    passed = test(short, count_pairs(short, *split.testing)) <= delta
    stop = len(passed) if passed.all() else int(np.argmin(passed))
    return listed[:stop]


def _short_list(doubt: Floats, wanted: Floats) -> NDArray[np.intp]:
    """Return candidates by rising doubt, each wanted more than all before it."""
    order = np.lexsort((-wanted, doubt))
    reached = np.maximum.accumulate(wanted[order])
    better = np.concatenate(([True], wanted[order][1:] > reached[:-1]))
    listed: NDArray[np.intp] = order[better]
    return listed
