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
from functools import partial
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.scoring.abstention_trees import AbstentionTreesScorer
from solvers.scoring.base import Scorer
from solvers.scoring.histogram_trees import HistogramTreesScorer
from solvers.scoring.kernel_machine import KernelMachineScorer
from solvers.scoring.tree_shapley import TreeGames

__all__ = ["MOST_COUNTED", "ORDERS", "Shapley", "Terms"]

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


class Shapley:
    """What columns add to the scores of one scorer, against one reference row.

    Parameters
    ----------
    scorer : Scorer
    reference : ndarray of shape (n_encoded,)
    columns : ndarray of shape (n_encoded,), int
        The column that each encoded one belongs to, from 0.
    """

    def __init__(self, scorer: Scorer, reference: Floats, columns: Indices) -> None:
        self._scorer, self._columns = scorer, columns
        self._n_columns = int(columns.max()) + 1
        origin = scorer.outputs(reference[np.newaxis])
        reject = None if origin.reject_score is None else float(origin.reject_score[0])
        self._base = float(origin.score[0]), reject
        (self._reference,) = self._read(reference[np.newaxis])
        exact = self._exact_way()
        self._always_exact = exact is not None
        self._of = exact or self._by_scoring

    def terms(self, X: Floats) -> Terms:
        """Return what each column adds to the score of each row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_encoded)
        """
        rows = self._read(X)
        terms = np.array([self._of(row) for row in rows])
        exact = self._always_exact or all(
            len(self._differs(row)) <= MOST_COUNTED for row in rows
        )
        if np.iscomplexobj(terms):
            return Terms(terms.real.copy(), terms.imag.copy(), self._base, exact)
        return Terms(terms, None, self._base, exact)

    def _read(self, X: Floats) -> Floats:
        """Return rows as the scorer's trees, if it has any, compare them."""
        scorer = self._scorer
        return scorer.coded(X) if isinstance(scorer, HistogramTreesScorer) else X

    def _exact_way(self) -> Callable[[Floats], NDArray[Any]] | None:
        """Return what gives the terms of a row without scoring mixed ones, if any."""
        scorer = self._scorer
        if isinstance(scorer, AbstentionTreesScorer | HistogramTreesScorer):
            games = TreeGames(scorer.forest, self._columns)
            return lambda row: games.terms(row, self._reference)
        if isinstance(scorer, KernelMachineScorer) and scorer.kind == "linear":
            return lambda row: np.bincount(
                self._columns, scorer.weights * (row - self._reference), self._n_columns
            )
        if isinstance(scorer, KernelMachineScorer) and scorer.kind == "rbf":
            return partial(self._of_products, scorer)
        return None

    def _differs(self, row: Floats) -> Indices:
        """Return the columns in which a row is not the reference; others add 0."""
        b = self._reference
        same = (row == b) | (np.isnan(row) & np.isnan(b))
        return np.unique(self._columns[~same])

    def _of_products(self, scorer: KernelMachineScorer, row: Floats) -> Floats:
        """Return the terms of a sum of products of one factor a column."""
        vectors, gamma = scorer.vectors, scorer.gamma
        terms, differs = np.zeros(self._n_columns), self._differs(row)
        if not len(differs):
            return terms

        def factors(values: Floats, own: NDArray[np.bool_]) -> Floats:
            apart = values[own] - vectors[:, own]
            return np.asarray(np.exp(-gamma * (apart**2).sum(axis=1)))

        masks = [self._columns == column for column in differs]
        a, b = (
            np.stack([factors(values, own) for own in masks])
            for values in (row, self._reference)
        )
        common = factors(row, ~np.logical_or.reduce(masks))
        weight = scorer.coefficients * common
        nodes, shares = np.polynomial.legendre.leggauss(-(-len(differs) // 2))
        for node, share in zip((nodes + 1.0) / 2.0, shares / 2.0, strict=True):
            mixed = node * a + (1.0 - node) * b
            before, after = np.ones_like(mixed), np.ones_like(mixed)
            np.cumprod(mixed[:-1], axis=0, out=before[1:])
            np.cumprod(mixed[:0:-1], axis=0, out=after[-2::-1])
            terms[differs] += share * (((a - b) * before * after) @ weight)
        return terms

    def _by_scoring(self, row: Floats) -> Floats:
        """Return the terms by scoring rows that are mixed with the reference."""
        terms, differs = np.zeros(self._n_columns), self._differs(row)
        of = self._by_subsets if len(differs) <= MOST_COUNTED else self._by_orders
        terms[differs] = of(row, differs)
        return terms

    def _by_subsets(self, row: Floats, differs: Indices) -> Floats:
        k = len(differs)
        taken = (np.arange(2**k)[:, np.newaxis] >> np.arange(k)) & 1 == 1
        values = self._scorer.score(self._mixed(row, differs, taken))
        size = taken.sum(axis=1)
        share = np.array([factorial(s) * factorial(k - s - 1) for s in range(k)])
        terms = np.zeros(k)
        for i in range(k):
            without = np.flatnonzero(~taken[:, i])
            gain = values[without + (1 << i)] - values[without]
            terms[i] = (share[size[without]] / factorial(k)) @ gain
        return terms

    def _by_orders(self, row: Floats, differs: Indices) -> Floats:
        k, draw = len(differs), np.random.default_rng(0)
        half = [draw.permutation(k) for _ in range(ORDERS // 2)]
        orders = np.array([*half, *(order[::-1] for order in half)])
        rank = np.argsort(orders, axis=1)
        taken = rank[:, np.newaxis, :] < np.arange(k + 1)[:, np.newaxis]
        scores = self._scorer.score(self._mixed(row, differs, taken.reshape(-1, k)))
        steps = np.diff(scores.reshape(len(orders), k + 1), axis=1)
        return np.asarray(np.take_along_axis(steps, rank, axis=1).mean(axis=0))

    def _mixed(self, row: Floats, differs: Indices, taken: NDArray[np.bool_]) -> Floats:
        """Return rows with this row's values in the columns taken, else as usual."""
        rows = np.tile(self._reference, (len(taken), 1))
        for column, chosen in zip(differs, taken.T, strict=True):
            own = self._columns == column
            rows[np.ix_(chosen, own)] = row[own]
        return rows
