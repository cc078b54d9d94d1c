"""A P-SVM for rows that are there twice: as +1 of weight w p, as -1 of w (1 - p).

Such rows teach a trainer of labels a probability p. The P-SVM (Niaf, Flamary,
Lartizien, Canu 2011) takes the probability p itself, so equal rows are put together
again before it learns.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.trainers.psvm import ProbabilisticLabelSVC

__all__ = ["DoubledRowsSVC", "in_doubt", "put_together"]

Floats = NDArray[np.float64]

_FEW = 0.01


class DoubledRowsSVC(ProbabilisticLabelSVC):
    """A P-SVM whose targets are labels -1 and +1 of rows that may be there twice."""

    def fit(  # type: ignore[override]  # such rows have no precision of their own
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit on the distinct rows, each with its share of +1 and its whole weight."""
        rows, p, weight = put_together(np.asarray(X), np.asarray(y), sample_weight)
        return super().fit(rows, p, weight)


def put_together(
    X: Floats, y: NDArray[Any], sample_weight: ArrayLike | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return the distinct rows of weight above 0, their shares of +1, their weights.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        -1 and +1.
    sample_weight : array-like of shape (n_rows,), optional
    """
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
    rows, place = np.unique(X, axis=0, return_inverse=True)
    total = np.bincount(place, weight, len(rows))
    positive = np.bincount(place, weight * (y > 0), len(rows))
    kept = total > 0.0
    p: Floats = positive[kept] / total[kept]
    return rows[kept], p, total[kept].astype(np.float64)


def in_doubt(X: Floats, y: NDArray[Any], sample_weight: Floats | None) -> bool:
    """Tell whether rows are there twice, with probabilities for weights.

    They are where weights are not all whole numbers, and more than one distinct row in
    a hundred has both labels, with unequal weights: equal ones say nothing.
    """
    if sample_weight is None or (sample_weight == np.round(sample_weight)).all():
        return False
    _, p, _ = put_together(X, y, sample_weight)
    doubtful = (p > 0.0) & (p < 1.0) & (np.abs(p - 0.5) > 1e-9)
    return bool(doubtful.mean() > _FEW)
