"""Each feature's part in an ensemble of stumps, measured on the coded training rows.

Per code of a feature all its stumps add up to one number in h and one in r; the rows'
weights by code then give every mean without scoring a row.
"""

from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.boosting.codes import Codes
from solvers.boosting.stumps import Pair

__all__ = ["importance"]

Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def _add_by_code(codes, table, sums):  # type: ignore[no-untyped-def]
    last = len(table) - 1
    for i in range(len(codes)):
        sums[i] += table[min(np.int64(codes[i]), last)]


@njit(cache=True, nogil=True)
def _mass_by_code(codes, weight, rejected, mass):  # type: ignore[no-untyped-def]
    last = len(mass) - 1
    for i in range(len(codes)):
        cell = mass[min(np.int64(codes[i]), last)]
        cell[0] += weight[i]
        cell[1] += weight[i] * rejected[i]


def importance(
    pairs: list[Pair], weights: Floats, codes: Codes, weight: Floats, *, rejects: bool
) -> dict[str, Floats]:
    """Return the means that ``StumpsScorer.importance`` describes.

    Parameters
    ----------
    pairs : list of Pair
    weights : array of shape (len(pairs),)
    codes : Codes
        Of the training rows.
    weight : array of shape (n_rows,)
        Their sample weights.
    rejects : bool
        Whether the ensemble has a reject function.
    """
    n_features = len(codes.cuts)
    tables: dict[int, tuple[Floats, Floats]] = {}
    r = np.zeros(len(weight))
    for pair, alpha in zip(pairs, weights, strict=True):
        if pair.feature < 0:
            r += alpha
            continue
        blank = (np.zeros(len(codes.cuts[pair.feature]) + 2) for _ in range(2))
        to_h, to_r = tables.setdefault(pair.feature, tuple(blank))  # type: ignore[arg-type]
        ends = (0, pair.low, pair.high, len(to_h) - 1, len(to_h))
        for cell, (start, stop) in enumerate(pairwise(ends)):
            to_h[start:stop] += alpha * pair.h()[cell]
            to_r[start:stop] += alpha * pair.r()[cell]
    for feature, (_, to_r) in tables.items():
        _add_by_code(codes.values[feature], to_r, r)
    rejected = r <= 0.0
    means = {"h": np.zeros(n_features)}
    if rejects:
        means |= {"r": np.zeros(n_features), "rejected": np.zeros(n_features)}
    for feature, (to_h, to_r) in tables.items():
        mass = np.zeros((len(to_h), 2))
        _mass_by_code(codes.values[feature], weight, rejected, mass)
        share = mass[:, 0] / mass[:, 0].sum()
        # Not by the linear algebra library, whose threads outlast these short sums.
        centre = (share * to_h).sum()
        means["h"][feature] = (share * np.abs(to_h - centre)).sum()
        if rejects:
            means["r"][feature] = -(share * to_r).sum()
            lost = mass[:, 1].sum()
            fallen = -(mass[:, 1] * to_r).sum()
            means["rejected"][feature] = fallen / lost if lost else 0.0
    return means
