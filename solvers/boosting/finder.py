"""The steepest pair for given weights: over new stumps, held stumps, the constant.

Every directional derivative here is a sum over rows, the penalty not yet added.
Byte codes are searched in packed fixed point first; ``exact=True`` asks for float64
sums instead, which the descent does when rounding could have misled it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.codes import LEAST_CELLS, Codes
from solvers.boosting.histograms import packed_histogram, words_of
from solvers.boosting.rows import Rows
from solvers.boosting.search import scan_codes, scan_histograms
from solvers.boosting.stumps import CONSTANT, Pair
from solvers.threads import Team, even

__all__ = ["Finder", "Found"]

_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class Found:
    """The steepest stump of all with its slope, and the slopes of the held pairs."""

    slope: float
    stump: Pair
    held: NDArray[np.float64]


class Finder:
    """Searches one coded table, round after round."""

    def __init__(self, codes: Codes, *, rejects: bool) -> None:
        self._codes = codes
        self._counts = codes.counts
        self._rejects = rejects
        values: Any = codes.values
        self.packs = values.dtype == np.uint8
        self._words = words_of(values if self.packs else np.empty((0, 0), np.uint8))
        alone = np.flatnonzero(codes.counts == values.shape[1])
        alone = alone[:0] if self.packs else alone
        self._orders = np.argsort(values[alone], axis=1).astype(np.int32)
        shape = (len(codes.cuts), 256)
        self._S = np.empty(shape if self.packs else (0, 0))
        self._R = np.empty_like(self._S)
        self._team = Team(1 if values.size < LEAST_CELLS else None)
        # Features are added up two by two.
        self._shares = even(len(codes.cuts), self._team.size, multiple=2)

    def search(self, rows: Rows, held: list[Pair], *, exact: bool) -> Found:
        """Return the steepest stump under the rows' weights.

        Parameters
        ----------
        rows : Rows
        held : list of Pair
            Pairs whose slopes are wanted, the constant pair too.
        exact : bool
            Whether byte codes are summed in float64; rank codes always are.
        """
        table = np.array(
            [(p.feature, *p.answers, p.low, p.high) for p in held], dtype=np.int64
        ).reshape(-1, 7)
        weights = (rows.signed, rows.pull)
        features = (self._counts, self._codes.has_missing)
        options = (self._rejects, _TIE * (rows.signed_sum + rows.pull_sum))
        codes: Any = self._codes.values
        if self.packs and not exact:
            self._add_up(*weights, rows.largest)
            found = scan_histograms(self._S, self._R, features, options, table)
        else:
            found = scan_codes(
                codes,
                self._codes.missing,
                self._orders,
                weights,
                features,
                options,
                table,
            )
        slope, stump, slopes = found
        for place, pair in enumerate(held):
            if pair == CONSTANT:
                slopes[place] = rows.signed_sum - rows.pull_sum
        return Found(float(slope), Pair(*map(int, stump)), slopes)

    def _add_up(
        self, signed: NDArray[np.float64], pull: NDArray[np.float64], largest: float
    ) -> None:
        """Sum both weights by code, some features a thread."""

        def features(share: tuple[int, int]) -> None:
            part = slice(*share)
            packed_histogram(
                self._words[part],
                signed,
                pull,
                largest,
                self._S[part],
                self._R[part],
            )

        self._team.each(features, self._shares)
