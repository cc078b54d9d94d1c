"""What follows from four prices, whether they are numbers or columns."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["LEAST", "MOST", "Priced"]

LEAST, MOST = 1e-100, 1e100
"""Products of two prices are compared: they must neither overflow nor vanish."""


class Priced:
    """What follows from four prices, one of each or one a row."""

    __slots__ = ()

    false_positive: Any
    false_negative: Any
    reject_positive: Any
    reject_negative: Any

    @property
    def p_minus(self) -> Any:
        """Return the probability of +1 below which calling -1 is cheapest."""
        return self.reject_negative / (
            self.false_negative - self.reject_positive + self.reject_negative
        )

    @property
    def p_plus(self) -> Any:
        """Return the probability of +1 above which calling +1 is cheapest."""
        gain = self.false_positive - self.reject_negative
        return gain / (gain + self.reject_positive)

    def expected(self, probability: ArrayLike) -> NDArray[np.float64]:
        """Return the expected cost of each decision at a probability of +1.

        Parameters
        ----------
        probability : array-like of shape (n_rows,)

        Returns
        -------
        ndarray of shape (n_rows, 3)
            Columns: the cost of deciding +1, of deciding -1, of rejecting.
        """
        p = np.asarray(probability, dtype=np.float64)
        return np.stack(
            (
                (1.0 - p) * self.false_positive,
                p * self.false_negative,
                p * self.reject_positive + (1.0 - p) * self.reject_negative,
            ),
            axis=-1,
        )

    def of_decisions(self, y: ArrayLike, decisions: ArrayLike) -> NDArray[np.float64]:
        """Return what each decision cost, given the true labels.

        Parameters
        ----------
        y : array-like of shape (n_rows,), values -1 and +1
        decisions : array-like of shape (n_rows,), values -1, 0 (reject) and +1

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        positive = np.asarray(y) > 0
        decided = np.asarray(decisions)
        rejected = np.where(positive, self.reject_positive, self.reject_negative)
        wrong = np.where(positive, self.false_negative, self.false_positive)
        correct = decided == np.where(positive, 1, -1)
        cost = np.where(decided == 0, rejected, np.where(correct, 0.0, wrong))
        return np.asarray(cost, dtype=np.float64)

    def at_odds(self, factor: float) -> Self:
        """Return the costs that decide alike where the odds of +1 are multiplied.

        Where each +1 counts ``factor`` times a -1, a row of odds ``o`` seems to have
        ``factor * o``; with the prices of a true +1 divided by it, the cheapest
        decision at those is the cheapest at ``o`` here.
        """
        made: Callable[..., Self] = type(self)
        return made(
            false_positive=self.false_positive,
            false_negative=self.false_negative / factor,
            reject_positive=self.reject_positive / factor,
            reject_negative=self.reject_negative,
        )

    def mirrored(self) -> Self:
        """Return the costs with both classes exchanged."""
        made: Callable[..., Self] = type(self)
        return made(
            false_positive=self.false_negative,
            false_negative=self.false_positive,
            reject_positive=self.reject_negative,
            reject_negative=self.reject_positive,
        )
