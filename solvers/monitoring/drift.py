"""An alarm for cases that are no longer those of the evaluation.

A case falls into one of the cells of an ordering that was fixed before the reference
rows were seen. Its conformal p-value among all cases so far,

    p_t = (#{cells above} + u #{same cell}) / (n_reference + t),   u uniform,

is uniform and independent of the past while cases are exchangeable with the reference
rows. Three bets e in {-1, 0, 1} on small, no and large p-values jump among each other
at rate J (the Simple Jumper; Vovk, Petej, Nouretdinov and others 2021):

    C_e <- ((1 - J) C_e + J C / 3) (1 + e (p_t - 1/2)).

The growth of C over the cases of a bucket is one e-value, and the Shiryaev-Roberts sum
of those alarms after ``patience`` buckets on average at the least where nothing has
changed: the budget is in time, however many cases there are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["DriftDetector"]

JUMP = 0.01
_BETS = np.array([-1.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class DriftDetector:
    """Counts in cells held against the reference's, bucket by bucket.

    Parameters
    ----------
    counts : ndarray of shape (n_cells,)
        Cases in each cell: of the reference, and since.
    patience : float
        Mean number of buckets to a false alarm, at the least.
    capital : tuple of three floats
        How the capital is spread over the three bets; they add up to 1.
    log_sum : float
        Logarithm of the Shiryaev-Roberts sum.
    """

    counts: NDArray[np.float64]
    patience: float
    capital: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3)
    log_sum: float = -np.inf

    def __post_init__(self) -> None:
        if not (self.counts >= 0.0).all() or not self.counts.sum() > 0.0:
            msg = "a reference counts at least one row, and no count is negative"
            raise ValueError(msg)
        if not self.patience >= 1.0:
            msg = f"patience is a number of buckets, at least 1, got {self.patience!r}"
            raise ValueError(msg)

    def add(self, bucket: NDArray[np.int64], rng: np.random.Generator) -> Self:
        """Return the detector after the cases of another bucket.

        Parameters
        ----------
        bucket : ndarray of shape (n_cells,)
            How many cases fell into each cell; their order within the bucket is not
            known, and is drawn.
        rng : Generator
            Draws that order, and how ties fall.
        """
        p, counts = self._p_values(bucket, rng)
        capital, won = np.array(self.capital), 0.0
        for bet in p - 0.5:
            grown = ((1.0 - JUMP) * capital + JUMP / 3.0) * (1.0 + _BETS * bet)
            growth = float(grown.sum())
            capital = grown / growth
            won += log(growth)
        log_sum = float(np.logaddexp(self.log_sum, 0.0)) + won
        spread = (float(capital[0]), float(capital[1]), float(capital[2]))
        return type(self)(counts, self.patience, spread, log_sum)

    def _p_values(
        self, bucket: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return a p-value for each case, in a drawn order, and the counts after."""
        cells = rng.permutation(np.repeat(np.arange(len(bucket)), bucket))
        counts = self.counts.copy()
        p = np.empty(len(cells))
        ties = rng.random(len(cells))
        total = float(counts.sum())
        above = total - np.cumsum(counts)
        for t, cell in enumerate(cells):
            counts[cell] += 1.0
            above[:cell] += 1.0
            total += 1.0
            p[t] = (above[cell] + ties[t] * counts[cell]) / total
        return p, counts

    @property
    def alarmed(self) -> bool:
        """Tell whether the evidence of a change is enough."""
        return self.log_sum >= log(self.patience)

    def payload(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {
            "counts": self.counts.tolist(),
            "patience": self.patience,
            "capital": list(self.capital),
            "log_sum": None if np.isneginf(self.log_sum) else self.log_sum,
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Rebuild the detector from `payload`."""
        log_sum = payload["log_sum"]
        return cls(
            np.array(payload["counts"], dtype=np.float64),
            payload["patience"],
            tuple(payload["capital"]),
            -np.inf if log_sum is None else log_sum,
        )
