"""Draw rows by what they say, so that nobody can draw again.

A split that followed a seed could be asked for until one promises. Here the draw is a
function of the rows: their keys, sorted, make the seed (SHA-256), and the rows are
permuted from sorted order. The same rows in another order are drawn alike; any change
of a row draws anew. A key should not depend on a scorer, which can be trained again:
what a row says (its columns and its label) is best.
"""

from collections.abc import Sequence
from hashlib import blake2b, sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["drawn_rows", "generator_of", "row_keys"]

Keys = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def row_keys(columns: Sequence[ArrayLike]) -> Keys:
    """Return a number for each row that follows from all of its values.

    Parameters
    ----------
    columns : sequence of array-like of shape (n_rows,)
        Numbers, or anything that has a text.
    """
    keys = np.zeros(len(np.asarray(columns[0])), dtype=np.uint64)
    for column in columns:
        values = np.asarray(column)
        if values.dtype.kind in "biuf":
            # Adding zero turns -0.0 into 0.0: equal numbers are equal bits then.
            bits = (values.astype(np.float64) + 0.0).view(np.uint64)
        else:
            texts, place = np.unique(values.astype(str), return_inverse=True)
            digests = [blake2b(text.encode(), digest_size=8).digest() for text in texts]
            bits = np.frombuffer(b"".join(digests), dtype=np.uint64)[place]
        keys = _mixed(keys + _STEP ^ bits)
    return keys


def generator_of(keys: ArrayLike) -> np.random.Generator:
    """Return a generator that follows from keys in any order."""
    data = np.sort(np.asarray(keys)).tobytes()
    return np.random.default_rng(int.from_bytes(sha256(data).digest()))


def drawn_rows(
    scores: NDArray[np.float64],
    share: NDArray[np.float64],
    groups: NDArray[Any] | None = None,
    keys: ArrayLike | None = None,
) -> NDArray[np.intp]:
    """Return all rows in an order that is drawn; of each group one row.

    Parameters
    ----------
    scores, share : ndarray of shape (n_rows,)
        They tell rows of one key apart.
    groups : ndarray of shape (n_rows,), optional
    keys : array-like of shape (n_rows,), optional
        By the order of the scores and by shares where it is not given.
    """
    if keys is None:
        of_row = row_keys([np.unique(scores, return_inverse=True)[1], share])
    else:
        of_row = np.asarray(keys)
    random = generator_of(of_row)
    drawn = np.lexsort((share, scores, of_row))[random.permutation(len(scores))]
    if groups is None:
        return drawn
    ones = drawn[np.sort(np.unique(groups[drawn], return_index=True)[1])]
    # Large groups come early there; of groups each is as likely as any other.
    return np.asarray(ones[random.permutation(len(ones))])


def _mixed(keys: Keys) -> Keys:
    """Return numbers whose every bit depends on all bits (the finish of SplitMix64)."""
    keys = (keys ^ keys >> np.uint64(30)) * _FIRST
    keys = (keys ^ keys >> np.uint64(27)) * _SECOND
    return np.asarray(keys ^ keys >> np.uint64(31))
