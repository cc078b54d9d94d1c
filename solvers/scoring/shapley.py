"""What each column adds to a score: Shapley values against a reference row.

With v(S) the score of the row that has x's values in the columns S and the reference's
in the others,

    phi_c = sum over S without c of |S|! (k - |S| - 1)! / k! (v(S + c) - v(S)),

so that the phi of a row add up to its score less that of the reference (Shapley 1953;
with one reference row: Sundararajan and Najmi 2020, "baseline Shapley"). A column that
became several encoded ones is one player. By scorer:

====================  ==============================================================
linear machine        w_c (x_c - b_c), exact
RBF machine           exact: each kernel value is a product over columns (below)
boosted trees         exact, leaf by leaf (`solvers.scoring.tree_shapley`)
any other             exact up to ``MOST_COUNTED`` columns that differ from the
                      reference, else the mean over ``ORDERS`` orders of the columns
====================  ==============================================================

For a product of factors, v(S) = prod_S a_c prod_(not S) b_c, Owen's integral (1972)

    phi_c = (a_c - b_c) int_0^1 prod_(e != c) (t a_e + (1 - t) b_e) dt

is one of a polynomial of degree k - 1: ceil(k / 2) nodes of Gauss and Legendre give it
exactly. Orders are drawn from a fixed seed, each with its reverse, so a row's terms do
not depend on the batch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial

import numpy as np
from numpy.typing import NDArray

from solvers.scoring.abstention_trees import AbstentionTreesScorer
from solvers.scoring.base import Scorer
from solvers.scoring.histogram_trees import HistogramTreesScorer
from solvers.scoring.kernel_machine import KernelMachineScorer
from solvers.scoring.tree_shapley import TreeGames

__all__ = ["MOST_COUNTED", "ORDERS", "Terms", "shapley"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

MOST_COUNTED = 10
"""Columns whose every subset is scored: 1,024 rows."""
ORDERS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """What columns add to the scores of some rows.

    Parameters
    ----------
    h : ndarray of shape (n_rows, n_columns)
    r : ndarray of shape (n_rows, n_columns) or None
        To the reject function, where there is one.
    base : tuple of (float, float or None)
        Score and reject score of the reference: where the sums begin.
    exact : bool
        Whether nothing was drawn.
    """

    h: Floats
    r: Floats | None
    base: tuple[float, float | None]
    exact: bool


def shapley(scorer: Scorer, X: Floats, reference: Floats, columns: Indices) -> Terms:
    """Return what each column adds to the score of each row.

    Parameters
    ----------
    scorer : Scorer
    X : ndarray of shape (n_rows, n_encoded)
    reference : ndarray of shape (n_encoded,)
    columns : ndarray of shape (n_encoded,), int
        The column that each encoded one belongs to, from 0.
    """
    n_columns = int(columns.max()) + 1
    origin = scorer.outputs(reference[np.newaxis])
    base = float(origin.score[0])
    if isinstance(scorer, AbstentionTreesScorer):
        games = TreeGames(scorer.forest, columns)
        both = np.array([games.terms(row, reference) for row in X])
        assert origin.reject_score is not None  # noqa: S101 - these trees have one
        begin = base, float(origin.reject_score[0])
        return Terms(both.real.copy(), both.imag.copy(), begin, exact=True)
    if isinstance(scorer, HistogramTreesScorer):
        games = TreeGames(scorer.forest, columns)
        rows, (origin_row,) = scorer.coded(X), scorer.coded(reference[np.newaxis])
        h = np.array([games.terms(row, origin_row) for row in rows])
        return Terms(h, None, (base, None), exact=True)
    if isinstance(scorer, KernelMachineScorer) and scorer.kind in ("linear", "rbf"):
        of = _linear if scorer.kind == "linear" else _of_products
        h = np.array([of(scorer, row, reference, columns, n_columns) for row in X])
        return Terms(h, None, (base, None), exact=True)
    h, exact = np.zeros((len(X), n_columns)), True
    for row, terms in zip(X, h, strict=True):
        differs = np.unique(columns[~_same(row, reference)])
        exact &= len(differs) <= MOST_COUNTED
        terms[differs] = _by_scoring(scorer.score, row, reference, columns, differs)
    return Terms(h, None, (base, None), exact)


def _same(x: Floats, b: Floats) -> NDArray[np.bool_]:
    return np.asarray((x == b) | (np.isnan(x) & np.isnan(b)))


def _linear(
    scorer: KernelMachineScorer, x: Floats, b: Floats, columns: Indices, n: int
) -> Floats:
    return np.asarray(np.bincount(columns, scorer.weights * (x - b), n))


def _of_products(
    scorer: KernelMachineScorer, x: Floats, b: Floats, columns: Indices, n: int
) -> Floats:
    """Return the terms of a sum of products of one factor a column."""
    vectors, coefficients, gamma = scorer.vectors, scorer.coefficients, scorer.gamma
    terms = np.zeros(n)
    differs = np.unique(columns[x != b])
    if not len(differs):
        return terms
    same = ~np.isin(columns, differs)
    common = np.exp(-gamma * ((x[same] - vectors[:, same]) ** 2).sum(axis=1))
    weight = coefficients * common
    a, c = (
        np.stack(
            [
                np.exp(-gamma * ((row[own] - vectors[:, own]) ** 2).sum(axis=1))
                for own in (columns == column for column in differs)
            ]
        )
        for row in (x, b)
    )
    nodes, shares = np.polynomial.legendre.leggauss(-(-len(differs) // 2))
    for node, share in zip((nodes + 1.0) / 2.0, shares / 2.0, strict=True):
        mixed = node * a + (1.0 - node) * c
        before, after = np.ones_like(mixed), np.ones_like(mixed)
        np.cumprod(mixed[:-1], axis=0, out=before[1:])
        np.cumprod(mixed[:0:-1], axis=0, out=after[-2::-1])
        terms[differs] += share * (((a - c) * before * after) @ weight)
    return terms


def _by_scoring(
    score: Callable[[Floats], Floats],
    x: Floats,
    b: Floats,
    columns: Indices,
    differs: Indices,
) -> Floats:
    """Return the terms of the columns that differ, by scoring mixed rows."""
    k = len(differs)
    if k > MOST_COUNTED:
        return _by_orders(score, x, b, columns, differs)
    taken = (np.arange(2**k)[:, np.newaxis] >> np.arange(k)) & 1 == 1
    values = score(_mixed(x, b, columns, differs, taken))
    size = taken.sum(axis=1)
    share = np.array([factorial(s) * factorial(k - s - 1) for s in range(k)])
    terms = np.zeros(k)
    for i in range(k):
        without = np.flatnonzero(~taken[:, i])
        gain = values[without + (1 << i)] - values[without]
        terms[i] = (share[size[without]] / factorial(k)) @ gain
    return terms


def _by_orders(
    score: Callable[[Floats], Floats],
    x: Floats,
    b: Floats,
    columns: Indices,
    differs: Indices,
) -> Floats:
    k, draw = len(differs), np.random.default_rng(0)
    half = [draw.permutation(k) for _ in range(ORDERS // 2)]
    orders = np.array([*half, *(order[::-1] for order in half)])
    rank = np.argsort(orders, axis=1)
    taken = rank[:, np.newaxis, :] < np.arange(k + 1)[:, np.newaxis]
    mixed = _mixed(x, b, columns, differs, taken.reshape(-1, k))
    steps = np.diff(score(mixed).reshape(len(orders), k + 1), axis=1)
    return np.asarray(np.take_along_axis(steps, rank, axis=1).mean(axis=0))


def _mixed(
    x: Floats, b: Floats, columns: Indices, differs: Indices, taken: NDArray[np.bool_]
) -> Floats:
    """Return rows with x's values in the columns taken, the reference's elsewhere."""
    rows = np.tile(b, (len(taken), 1))
    for column, chosen in zip(differs, taken.T, strict=True):
        own = columns == column
        rows[np.ix_(chosen, own)] = x[own]
    return rows
