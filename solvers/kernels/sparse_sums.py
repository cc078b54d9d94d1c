"""Weighted sums of the kernel between sparse rows: what scores and gradients are."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.kernels.exponential_double import gaussian_rows_double
from solvers.kernels.kernel import MANY_ROWS, Kernel, evaluate, of_products, squares
from solvers.kernels.sparse_products import multiply_rows, panels

__all__ = ["kernel_sums"]

Floats = NDArray[np.float64]

_ROWS = 128


def kernel_sums(
    kernel: Kernel,
    A: Any,
    B: Any,
    coefficients: Floats,
    between: Callable[[], None] | None = None,
) -> Floats:
    """Return ``evaluate(kernel, A, B) @ coefficients`` piece by piece, in float64.

    Parameters
    ----------
    kernel : Kernel
        A named one, with a number for gamma.
    A, B : float64 CSR matrices of equal width
    coefficients : (len(B),) float64
    between : callable, optional
        Called several times a second.
    """
    if kernel.kind == "linear":
        return np.asarray(A @ (B.T @ coefficients))
    if A.shape[0] < MANY_ROWS:
        return np.asarray(evaluate(kernel, A, B) @ coefficients)
    gaussian = kernel.kind == "rbf"
    scale = float(kernel.gamma) if gaussian else 0.0
    half_A, half_B = scale * squares(A), scale * squares(B)
    scores = np.zeros(A.shape[0])
    for start, stop, place, lines in panels(B):
        scaled = 2.0 * scale * lines if gaussian else lines
        for first in range(0, len(scores), _ROWS):
            rows = np.arange(first, min(first + _ROWS, len(scores)))
            values = np.empty((len(rows), stop - start))
            multiply_rows(A.data, A.indices, A.indptr, rows, place, scaled, values)
            if gaussian:
                gaussian_rows_double(values, half_A[rows], half_B[start:stop])
            else:
                values = of_products(kernel, values)
            scores[rows] += values @ coefficients[start:stop]
        if between is not None:
            between()
    return scores
