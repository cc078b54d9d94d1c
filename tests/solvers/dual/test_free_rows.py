"""The growing and shrinking factor against dense solves."""

import numpy as np
import pytest

from solvers.dual.cholesky import delete_row
from solvers.dual.free_rows import FreeRows


def kernel_of(n, seed=0):
    half = np.random.default_rng(seed).normal(size=(n, n + 2))
    return half @ half.T


def bordered(kernel, rows):
    k = len(rows)
    system = np.ones((k + 1, k + 1))
    system[:k, :k] = kernel[np.ix_(rows, rows)]
    system[k, k] = 0.0
    return system


def test_deleting_a_row_is_factorising_without_it():
    whole = kernel_of(9)
    for place in range(9):
        factor = np.linalg.cholesky(whole)
        delete_row(factor, 9, place)
        left = np.delete(np.delete(whole, place, 0), place, 1)
        np.testing.assert_allclose(
            np.tril(factor[:8, :8]), np.linalg.cholesky(left), atol=1e-10
        )


def test_many_changes_keep_the_equations_solved():
    kernel = kernel_of(60)
    rng = np.random.default_rng(1)
    free = FreeRows(kernel)
    for _ in range(300):
        row = int(rng.integers(60))
        if row in free.rows:
            free.delete(int(np.flatnonzero(free.rows == row)[0]))
        else:
            assert free.append(row)
    rows = free.rows
    assert 10 < len(rows) == len(set(rows.tolist()))
    residual = rng.normal(size=len(rows))
    x, bias = free.correction(residual, 0.7)
    expected = np.linalg.solve(bordered(kernel, rows), np.append(residual, 0.7))
    np.testing.assert_allclose(np.append(x, bias), expected, rtol=1e-8, atol=1e-10)


def test_an_entering_row_leaves_the_free_scores_alone():
    kernel = kernel_of(20)
    free = FreeRows(kernel)
    free.reset(np.arange(8))
    entry = free.entry(11)
    rows = free.rows
    speed = kernel[rows][:, rows] @ entry.response + kernel[rows, 11] + entry.drift
    np.testing.assert_allclose(speed, 0.0, atol=1e-9)
    assert entry.response.sum() == pytest.approx(-1.0)
    own = kernel[11, 11] + kernel[11, rows] @ entry.response + entry.drift
    assert entry.curvature == pytest.approx(own)


def test_a_duplicate_row_stays_out_of_the_factor():
    kernel = kernel_of(6)
    twins = np.array([0, 1, 2, 3, 4, 5, 2])
    free = FreeRows(kernel[np.ix_(twins, twins)])
    free.reset(np.arange(7))
    assert sorted(free.rows.tolist()) in ([0, 1, 2, 3, 4, 5], [0, 1, 3, 4, 5, 6])
    outside = ({2, 6} - set(free.rows.tolist())).pop()
    assert free.entry(outside).curvature == pytest.approx(0.0, abs=1e-10)
    assert not free.append(outside)
