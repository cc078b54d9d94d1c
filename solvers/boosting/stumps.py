"""Abstention stumps: three answers over the three intervals of one feature.

    x <= lower        left
    lower < x <= upper  middle
    upper < x         right
    x is missing      missing

Each answer is +1, -1 or 0 (reject) and adds to the pair (h, r): +1 gives (1, 0), -1
gives (-1, 0), reject gives (0, -1). An interval may be empty, which gives plain
stumps and one-sided rejection. The constant pair (0, +1) undoes over-rejection; it
has no feature. Source: Cortes et al. (2016), section 4.3, with the signs corrected.
"""

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONSTANT", "ORDERINGS", "Pair", "Stump"]

ORDERINGS = ((-1, 0, 1), (1, 0, -1), (-1, 1, 0), (1, -1, 0), (0, -1, 1), (0, 1, -1))
"""The six ways to give (left, middle, right) the three answers."""


class Pair(NamedTuple):
    """A stump in codes: the left cell ends before code low, the middle before high."""

    feature: int
    ordering: int
    low: int
    high: int
    missing: int

    @property
    def answers(self) -> tuple[int, int, int, int]:
        """Return the answers of the left, middle, right and missing cell."""
        return (*ORDERINGS[self.ordering], self.missing)

    def h(self) -> NDArray[np.float64]:
        """Return what each of the four cells adds to h."""
        if self.feature < 0:
            return np.zeros(4)
        return np.array(self.answers, dtype=np.float64)

    def r(self) -> NDArray[np.float64]:
        """Return what each of the four cells adds to r."""
        if self.feature < 0:
            return np.ones(4)
        return np.where(np.array(self.answers) == 0, -1.0, 0.0)


CONSTANT = Pair(-1, 0, 0, 0, 0)
"""The pair (0, +1) on every row."""


@dataclass(frozen=True, slots=True)
class Stump:
    """An abstention stump in the feature's own unit; see the module's head.

    ``feature`` is None for the constant pair (0, +1), whose other fields mean nothing.
    """

    feature: int | None
    lower: float = -inf
    upper: float = inf
    left: int = 0
    middle: int = 0
    right: int = 0
    missing: int = 0

    @classmethod
    def of(cls, pair: Pair, cuts: list[NDArray[np.float64]]) -> "Stump":
        """Return the stump of a pair of codes, given each feature's cut points."""
        if pair.feature < 0:
            return cls(None)
        lines = np.concatenate(([-inf], cuts[pair.feature], [inf]))
        left, middle, right, missing = pair.answers
        lower, upper = float(lines[pair.low]), float(lines[pair.high])
        return cls(pair.feature, lower, upper, left, middle, right, missing)

    def answers(self, X: NDArray[np.float64]) -> NDArray[np.int8]:
        """Return the answer (+1, -1, 0 = reject) to each row; not for the constant."""
        x = X[:, self.feature]
        told = np.where(x <= self.lower, self.left, self.middle)
        told = np.where(x > self.upper, self.right, told)
        return np.where(np.isnan(x), self.missing, told).astype(np.int8)

    def outputs(
        self, X: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what the stump adds to h and to r, each of shape (n_rows,)."""
        if self.feature is None:
            return np.zeros(len(X)), np.ones(len(X))
        answers = self.answers(X)
        return answers.astype(np.float64), -(answers == 0).astype(np.float64)
