"""Which rows are drawn and which are left, and the folds: for library and service.

A split keeps the share of either class, keeps every group whole, and is a function of
the seed alone. By time, the past trains and the future evaluates: rows of one moment
stay on one side, and a group goes where its latest row goes, so that no training row
is later than the cut.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Units",
    "cut_by_time",
    "draw",
    "draw_blindly",
    "draw_groups",
    "folds_of",
    "latest_moment",
    "units_of",
]

Generator = np.random.Generator | np.random.RandomState
Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What must stay together: single rows, or groups of them.

    Parameters
    ----------
    of_row : ndarray of shape (n_rows,)
        The unit of each row.
    counts : ndarray of shape (n_units, 2)
        Rows of -1 and of +1 in each unit.
    """

    of_row: Rows
    counts: Floats

    @property
    def single(self) -> bool:
        """Tell whether every unit is one row."""
        return len(self.counts) == len(self.of_row)


def units_of(positive: NDArray[np.bool_], groups: NDArray[Any] | None) -> Units:
    """Return the units of rows whose classes are given."""
    if groups is None:
        of_row = np.arange(len(positive), dtype=np.int64)
    else:
        of_row = np.unique(groups, return_inverse=True)[1].astype(np.int64)
    counts = np.zeros((int(of_row.max()) + 1, 2))
    np.add.at(counts, (of_row, positive.astype(np.int64)), 1.0)
    return Units(of_row, counts)


def draw(
    units: Units, share: float, generator: np.random.Generator
) -> NDArray[np.bool_]:
    """Return which rows are drawn: about ``share`` of either class, units whole.

    At least one row of each class is drawn, and at least one is left, where there
    are two.
    """
    if units.single:
        chosen = _draw_rows(units.counts[:, 1] > 0, share, generator)
    else:
        totals = units.counts.sum(axis=0)
        wanted = share * totals / np.maximum(totals, 1.0)
        chosen = draw_groups(units.counts, wanted, generator)
    return chosen[units.of_row]


def draw_blindly(
    units: Units, share: float, generator: np.random.Generator
) -> NDArray[np.bool_]:
    """Return which rows are drawn, whatever their class: a simple random sample.

    What a promise is fitted on must be drawn as the cases in use are, so that the
    shares of the classes vary as chance has it. Units stay whole; at least one is
    drawn, and at least one is left.
    """
    n_units = len(units.counts)
    order = generator.permutation(n_units)
    reached = np.cumsum(units.counts.sum(axis=1)[order]) / len(units.of_row)
    wanted = 1 + int(np.argmin(np.abs(reached - share)))
    chosen = np.zeros(n_units, dtype=bool)
    chosen[order[: min(wanted, n_units - 1)]] = True
    return chosen[units.of_row]


def _draw_rows(
    positive: NDArray[np.bool_], share: float, generator: np.random.Generator
) -> NDArray[np.bool_]:
    chosen = np.zeros(len(positive), dtype=bool)
    for side in (False, True):
        rows = np.flatnonzero(positive == side)
        wanted = min(max(round(share * len(rows)), 1), max(len(rows) - 1, 0))
        chosen[generator.permutation(rows)[:wanted]] = True
    return chosen


def draw_groups(
    counts: Floats, wanted: Floats, generator: Generator
) -> NDArray[np.bool_]:
    """Return which groups are drawn: about a wanted share of either class.

    They are taken largest first, in random order among equals, each while it brings
    both classes nearer to the wanted share:

        |missing - brings|^2 < |missing|^2,   missing = wanted at first,

    where ``brings`` holds the parts of either class that are in the group.

    Parameters
    ----------
    counts : ndarray of shape (n_groups, 2)
        Rows of -1 and of +1 in each group.
    wanted : ndarray of shape (2,)
        The share of either class; 0 of a class without rows.
    """
    scale = np.maximum(counts.sum(axis=0), 1.0)
    chosen = np.zeros(len(counts), dtype=bool)
    missing = wanted
    for unit in _large_first(counts, generator):
        left = missing - counts[unit] / scale
        if left @ left < missing @ missing:
            chosen[unit] = True
            missing = left
    return chosen


def folds_of(units: Units, n_folds: int, generator: np.random.Generator) -> Rows:
    """Return the fold of each row; classes spread evenly, units whole."""
    n_units = len(units.counts)
    fold = np.empty(n_units, dtype=np.int64)
    if units.single:
        start = 0
        for side in (0, 1):
            rows = generator.permutation(np.flatnonzero(units.counts[:, side] > 0))
            fold[rows] = (start + np.arange(len(rows))) % n_folds
            start += len(rows)
        return fold[units.of_row]
    filled = np.zeros((n_folds, 2))
    scale = np.maximum(units.counts.sum(axis=0), 1.0)
    for unit in _large_first(units.counts, generator):
        brings = units.counts[unit] / scale
        # To the fold that has least of what this group brings; then the smallest.
        least = np.lexsort((filled.sum(axis=1), filled @ brings))[0]
        fold[unit] = least
        filled[least] += brings
    return fold[units.of_row]


def _large_first(counts: Floats, generator: Generator) -> Rows:
    shuffled = generator.permutation(len(counts))
    return shuffled[np.argsort(-counts[shuffled].sum(axis=1), kind="stable")]


def cut_by_time(units: Units, moment: Floats, share: float) -> NDArray[np.bool_]:
    """Return which rows are the future: about ``share`` of all, by a cut in time.

    All rows are past when every unit has the same moment.
    """
    of_row = latest_moment(units, moment)
    cuts = np.unique(of_row)[1:]
    if not len(cuts):
        return np.zeros(len(moment), dtype=bool)
    ordered = np.sort(of_row)
    later = len(ordered) - np.searchsorted(ordered, cuts, side="left")
    best = cuts[np.argmin(np.abs(later - share * len(ordered)))]
    return np.asarray(of_row >= best)


def latest_moment(units: Units, moment: Floats) -> Floats:
    """Return for each row the latest moment of its unit, where the unit belongs."""
    latest = np.full(len(units.counts), -np.inf)
    np.maximum.at(latest, units.of_row, moment)
    return np.asarray(latest[units.of_row])
