"""An alarm for a mean above its limit, from sums over buckets of time.

    H0: E[x_t | past] <= m at all t,   0 <= x_t <= 1

Each alternative mean m_k > m is a bet b_k = (m_k - m) / (m (1 - m)). A bucket of n
values with sum s multiplies it by at most, and for zeros and ones by exactly,

    e(k) = (1 + b_k (1 - m))^s (1 - b_k m)^(n - s),

since log(1 + b (x - m)) is concave in x and so lies above its chord on [0, 1]. The
bets' Shiryaev-Roberts sums S <- (S + 1) e are averaged; without a change the average
is a supermartingale minus the number of buckets, so the mean number of buckets to a
false alarm is at least A (Shin, Ramdas and Rinaldo 2022). Nothing is assumed of how
values depend on each other. The null speaks of every bucket: where the mean swings
within a week, a bucket is a week.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["LimitDetector"]

FACTORS = (1.05, 1.1, 1.2, 1.35, 1.5, 2.0, 3.0, 5.0)


@dataclass(frozen=True, slots=True, eq=False)
class LimitDetector:
    """A mean held against a limit, bucket by bucket.

    Parameters
    ----------
    limit : float in (0, 1)
        The largest mean that is no reason for an alarm.
    patience : float
        Mean number of buckets to a false alarm, at the least.
    log_sums : ndarray of shape (n_bets,), optional
        Logarithms of the bets' sums; at first all sums are 0.
    """

    limit: float
    patience: float
    log_sums: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.limit < 1.0:
            msg = f"limit must lie strictly between 0 and 1, got {self.limit!r}"
            raise ValueError(msg)
        if not self.patience >= 1.0:
            msg = f"patience is a number of buckets, at least 1, got {self.patience!r}"
            raise ValueError(msg)

    def add(self, total: float, n: int) -> Self:
        """Return the detector after another bucket.

        Parameters
        ----------
        total : float
            Sum of the bucket's values, each in [0, 1].
        n : int
            How many they are; an empty bucket is evidence of nothing.
        """
        if not 0.0 <= total <= n * (1.0 + 1e-9):
            msg = f"a sum of {n} values in [0, 1] cannot be {total!r}"
            raise ValueError(msg)
        m, bets = self.limit, self._bets
        before = self.log_sums
        if before is None:
            before = np.full(len(bets), -np.inf)
        total = min(total, float(n))
        won, lost = np.log1p(bets * (1.0 - m)), np.log1p(-bets * m)
        after = np.logaddexp(before, 0.0) + total * won + (n - total) * lost
        return type(self)(m, self.patience, after)

    @property
    def log_evidence(self) -> float:
        """Return the logarithm of the averaged sums; an alarm is at log patience."""
        if self.log_sums is None:
            return -np.inf
        return float(np.logaddexp.reduce(self.log_sums) - log(len(self.log_sums)))

    @property
    def alarmed(self) -> bool:
        """Tell whether the evidence against the limit is enough."""
        return self.log_evidence >= log(self.patience)

    @property
    def _bets(self) -> NDArray[np.float64]:
        m = self.limit
        # (1 + m) / 2: an alternative of 1 would be ruined by one small value.
        means = np.unique(np.minimum(np.array(FACTORS) * m, (1.0 + m) / 2.0))
        return np.asarray((means - m) / (m * (1.0 - m)))

    def payload(self) -> dict[str, Any]:
        """Return the state as plain data."""
        sums = None if self.log_sums is None else self.log_sums.tolist()
        return {"limit": self.limit, "patience": self.patience, "log_sums": sums}

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Rebuild the detector from `payload`."""
        sums = payload["log_sums"]
        return cls(
            payload["limit"],
            payload["patience"],
            None if sums is None else np.array(sums, dtype=np.float64),
        )
