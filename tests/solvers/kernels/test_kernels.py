"""Kernel values against scikit-learn's, their float32 rows, and the cache of them."""

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise

from solvers.errors import UnknownNameError
from solvers.kernels import Kernel, KernelRows, RowCache, evaluate, kernel_sums

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 7)) * np.arange(1, 8) + 3
WIDE = sparse.random(150, 900, density=0.02, format="csr", random_state=0)
NARROW = sparse.random(150, 60, density=0.1, format="csr", random_state=1)
TABLES = [X, sparse.csr_matrix(X), WIDE, NARROW]
NAMES = ["dense", "csr", "wide", "narrow"]
KERNELS = [
    Kernel("linear"),
    Kernel("polynomial", 0.01, 3, 1.0),
    Kernel("poly", 0.01, 2),
    Kernel("rbf"),
    Kernel("rbf", 0.7),
    Kernel("sigmoid", 0.01, coef0=-0.5),
    Kernel("callable", function=pairwise.laplacian_kernel),
]


def peer(kernel, A, B):
    gamma = kernel.gamma
    return {
        "linear": lambda: pairwise.linear_kernel(A, B),
        "polynomial": lambda: pairwise.polynomial_kernel(
            A, B, kernel.degree, gamma, kernel.coef0
        ),
        "rbf": lambda: pairwise.rbf_kernel(A, B, gamma),
        "sigmoid": lambda: pairwise.sigmoid_kernel(A, B, gamma, kernel.coef0),
        "callable": lambda: pairwise.laplacian_kernel(A, B),
    }[kernel.kind]()


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.kind)
@pytest.mark.parametrize("rows", TABLES, ids=NAMES)
def test_values_are_those_of_the_peer(kernel, rows):
    kernel = kernel.resolved(rows)
    expected = peer(kernel, rows[:40], rows)
    np.testing.assert_allclose(
        evaluate(kernel, rows[:40], rows), expected, rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.kind)
@pytest.mark.parametrize("rows", TABLES, ids=NAMES)
def test_float32_rows_are_the_matrix_rounded(kernel, rows):
    kernel_rows = KernelRows(kernel, rows)
    matrix = kernel_rows.matrix()
    chosen = np.array([3, 149, 0, 77])
    scale = abs(matrix).max()
    block = kernel_rows.block(chosen)
    assert block.dtype == np.float32
    np.testing.assert_allclose(block, matrix[chosen], atol=3e-6 * scale)
    np.testing.assert_allclose(kernel_rows.diagonal(), matrix.diagonal(), rtol=1e-12)
    np.testing.assert_array_equal(matrix, matrix.T)
    weights = RNG.normal(size=150) * (RNG.random(150) < 0.5)
    np.testing.assert_allclose(
        kernel_rows.product(weights), matrix @ weights, rtol=1e-9, atol=1e-11 * scale
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.kind)
@pytest.mark.parametrize("rows", [X, WIDE, NARROW], ids=["dense", "wide", "narrow"])
def test_a_part_of_the_columns_is_that_part_of_the_rows(kernel, rows):
    single = KernelRows(kernel, rows).single()
    chosen, columns = np.array([5, 90, 31]), np.array([31, 2, 5, 140])
    whole = np.zeros((3, 150), np.float32)
    single.fill(chosen, whole, np.arange(3))
    part = np.zeros((4, 6), np.float32)
    places = np.array([3, 0, 2])
    own = np.array([2, 3, 0])  # row 90 is not among the columns
    single.fill(chosen[[0, 2]], part, places[[0, 2]], columns, own[[0, 2]])
    expected = whole[:, columns]
    np.testing.assert_allclose(
        part[places[[0, 2]], :4], expected[[0, 2]], rtol=3e-6, atol=1e-6
    )


@pytest.mark.parametrize("kernel", KERNELS[:-1], ids=lambda k: k.kind)
@pytest.mark.parametrize("width", [3, 60, 9000])
@pytest.mark.parametrize("count", [1, 200])
def test_sums_of_sparse_rows_are_those_of_dense_ones(kernel, width, count):
    """More rows than a panel has, empty rows, and columns that no row has."""
    others = sparse.random(1300, width, density=0.02, format="csr", random_state=2)
    rows = sparse.random(count, width, density=0.02, format="csr", random_state=3)
    kernel = kernel.resolved(others)
    coefficients = RNG.normal(size=1300)
    expected = evaluate(kernel, rows.toarray(), others.toarray()) @ coefficients
    told = kernel_sums(kernel, rows, others, coefficients)
    np.testing.assert_allclose(told, expected, rtol=1e-9, atol=1e-9)


def test_a_polynomial_of_degree_zero_is_one():
    kernel_rows = KernelRows(Kernel("polynomial", 0.5, 0), X)
    assert (kernel_rows.matrix() == 1).all()
    assert (kernel_rows.block(np.arange(3)) == 1).all()
    assert (kernel_rows.diagonal() == 1).all()


def test_far_rows_are_taken_in_double_precision():
    """Two near rows far from the rest: float32 products would lose their distance."""
    rows = np.vstack([RNG.normal(size=(60, 5)), np.full((2, 5), 300.0)])
    rows[-1] += 0.3
    kernel_rows = KernelRows(Kernel("rbf", 1.0), rows)
    block = kernel_rows.block(np.array([60, 61]))
    np.testing.assert_allclose(block, kernel_rows.matrix()[60:], rtol=1e-6, atol=1e-30)


def test_gaussian_underflow_and_diagonal():
    rows = np.array([[0.0], [1.0], [100.0], [1.0]])
    block = KernelRows(Kernel("rbf", 5.0), rows).block(np.arange(4))
    assert (np.diag(block) == 1).all()
    assert block[1, 3] == 1
    assert 0 <= block[0, 2] < 1e-37


def test_precomputed_rows_are_the_given_ones():
    matrix = pairwise.rbf_kernel(X)
    matrix = (matrix + matrix.T) / 2
    kernel_rows = KernelRows(Kernel("precomputed"), matrix)
    np.testing.assert_array_equal(kernel_rows.matrix(), matrix)
    np.testing.assert_array_equal(
        kernel_rows.block(np.array([4, 9])), matrix[[4, 9]].astype(np.float32)
    )
    with pytest.raises(ValueError, match="square"):
        KernelRows(Kernel("precomputed"), matrix[:10])


@pytest.mark.parametrize("rows", [X, sparse.csr_matrix(X)], ids=["dense", "csr"])
def test_gamma_by_name_counts_weights(rows):
    weights = RNG.integers(0, 4, 150)
    repeated = rows[np.repeat(np.arange(150), weights)]
    dense = repeated.toarray() if sparse.issparse(repeated) else repeated
    expected = 1.0 / (7 * dense.var())
    resolved = Kernel("rbf").resolved(rows, weights.astype(float))
    np.testing.assert_allclose(resolved.gamma, expected, rtol=1e-12)
    assert Kernel("rbf", "auto").resolved(rows).gamma == 1 / 7
    assert Kernel("rbf", 2.5).resolved(rows).gamma == 2.5
    assert Kernel("rbf").resolved(np.ones((4, 2))).gamma == 1.0


@pytest.mark.parametrize(
    "arguments",
    [
        {"gamma": 0.0},
        {"gamma": -1.0},
        {"gamma": np.nan},
        {"gamma": "scales"},
        {"degree": -1},
        {"degree": 1.5},
        {"coef0": np.inf},
        {"kind": "callable"},
        {"kind": "rbf", "function": max},
    ],
)
def test_parameters_out_of_range_are_refused(arguments):
    with pytest.raises(ValueError, match=r"gamma|degree|coef0|function"):
        Kernel(**arguments)


def test_an_unknown_kernel_names_the_known_ones():
    with pytest.raises(UnknownNameError, match="polynomial"):
        Kernel("rbff")


@pytest.mark.parametrize("values", [np.zeros((2, 2)), np.full((150, 150), np.nan)])
def test_a_function_that_is_no_kernel_is_refused(values):
    kernel = Kernel("callable", function=lambda *_: values)
    with pytest.raises(ValueError, match="kernel function"):
        evaluate(kernel, X, X)


def test_the_cache_gives_the_rows_asked_for_and_stays_bounded():
    kernel_rows = KernelRows(Kernel("rbf"), X)
    cache = RowCache(kernel_rows.single(), 150, 0.04, least_rows=40)
    assert cache.capacity == 69
    everything = kernel_rows.block(np.arange(150))
    for _ in range(30):
        wanted = RNG.choice(150, 40, replace=False)
        change, g = RNG.normal(size=40), RNG.normal(size=150)
        expected = g + change @ everything[wanted]
        cache.add_to(g, wanted, change)
        np.testing.assert_allclose(g, expected, atol=1e-5)
    assert cache.table.shape == (69, 150)


def test_the_cache_replaces_what_was_used_longest_ago():
    cache = RowCache(KernelRows(Kernel("rbf"), X).single(), 150, 0.0, least_rows=4)
    g = np.zeros(150)
    for wanted in ([0, 1], [2, 3], [0, 1], [4, 5]):
        cache.add_to(g, np.array(wanted), np.ones(2))
    assert cache.computed == 6
    cache.add_to(g, np.array([0, 1, 4, 5]), np.ones(4))
    assert cache.computed == 6
    cache.add_to(g, np.array([2]), np.ones(1))
    assert cache.computed == 7


def test_threads_that_ask_first_find_the_same_rows_whole():
    expected = KernelRows(Kernel("rbf"), X).exact_block(np.arange(150))
    interval, start = sys.getswitchinterval(), Barrier(4)

    def asked(kernel_rows):
        start.wait(60)
        return kernel_rows.exact_block(np.arange(150))

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            for _ in range(200):
                fresh = KernelRows(Kernel("rbf"), X)
                for block in threads.map(asked, [fresh] * 4):
                    np.testing.assert_array_equal(block, expected)
    finally:
        sys.setswitchinterval(interval)
