"""Kernel functions, described by plain data and evaluated in float64.

===========  ==================================
linear       ``x'z``
polynomial   ``(gamma x'z + coef0) ** degree``
rbf          ``exp(-gamma |x - z|^2)``
sigmoid      ``tanh(gamma x'z + coef0)`` (not positive semi-definite)
precomputed  the rows are the matrix itself
callable     any function ``(A, B) -> (len(A), len(B))``
===========  ==================================
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from solvers.errors import UnknownNameError
from solvers.kernel_declarations import KERNELS
from solvers.kernels.sparse_products import sparse_products
from solvers.parameters import check

__all__ = [
    "KINDS",
    "MANY_ROWS",
    "Kernel",
    "evaluate",
    "of_products",
    "squares",
    "weighted_variance",
]

KINDS = ("linear", "polynomial", "rbf", "sigmoid", "precomputed", "callable")
_ALIASES = {"poly": "polynomial", "gaussian": "rbf"}

Floats = NDArray[np.float64]

MANY_ROWS = 16
"""Fewer sparse rows than this are not worth unpacking the others for."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel function and its parameters.

    Parameters
    ----------
    kind : str
        One of ``KINDS`` ("poly" is understood as "polynomial").
    gamma : float or {"scale", "auto"}
        "scale" is ``1 / (n_features * variance of X)``, "auto" ``1 / n_features``;
        ``resolved`` turns either into a number.
    degree : int
        Of the polynomial, >= 0.
    coef0 : float
        Of polynomial and sigmoid.
    function : callable, optional
        For kind "callable".

    Raises
    ------
    UnknownNameError
        When the kind is unknown.
    ValueError
        When a parameter is out of range.
    """

    kind: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    function: Callable[[Any, Any], Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", _ALIASES.get(self.kind, self.kind))
        if self.kind not in KINDS:
            kind = "kernel"
            raise UnknownNameError(kind, self.kind, KINDS)
        check(self, KERNELS["polynomial"][1])  # it has what any kernel takes
        if (self.kind == "callable") != (self.function is not None):
            msg = 'a function belongs to kernel kind "callable", and to it alone'
            raise ValueError(msg)

    def resolved(self, X: Any, weights: Floats | None = None) -> "Kernel":
        """Return the same kernel with a number for gamma, learnt from X."""
        if not isinstance(self.gamma, str):
            return self
        if self.kind in {"linear", "precomputed", "callable"}:
            return replace(self, gamma=1.0)
        if self.gamma == "auto":
            return replace(self, gamma=1.0 / X.shape[1])
        variance = weighted_variance(X, weights)
        spread = X.shape[1] * variance
        return replace(self, gamma=1.0 / spread if spread > 0 else 1.0)


def weighted_variance(X: Any, weights: Floats | None = None) -> float:
    """Return the variance of all entries of X, each row counted by its weight."""
    w = np.ones(X.shape[0]) if weights is None else weights
    total = float(w.sum()) * X.shape[1]
    if total <= 0:
        return 0.0
    mean = float(w @ np.asarray(X.sum(axis=1)).ravel() / total)
    if sparse.issparse(X):
        square = float(w @ np.asarray(X.multiply(X).sum(axis=1)).ravel() / total)
        return max(square - mean * mean, 0.0)
    return float(w @ ((X - mean) ** 2).sum(axis=1) / total)


def evaluate(kernel: Kernel, A: Any, B: Any) -> Floats:
    """Return the kernel between every row of A and every row of B, in float64.

    Parameters
    ----------
    kernel : Kernel
        With a number for gamma.
    A, B : float64 arrays or CSR matrices of equal width
        For "precomputed", A already is the answer and B is not looked at.

    Returns
    -------
    ndarray of shape (len(A), len(B))
    """
    if kernel.kind == "precomputed":
        return _dense(A)
    if kernel.kind == "callable":
        return _called(kernel, A, B)
    many = A.shape[0] >= MANY_ROWS and sparse.issparse(A) and sparse.issparse(B)
    products = sparse_products(A, B) if many else _dense(A @ B.T)
    if kernel.kind == "rbf":
        return of_products(kernel, products, squares(A), squares(B))
    return of_products(kernel, products)


def of_products(
    kernel: Kernel,
    products: Floats,
    left: Floats | None = None,
    right: Floats | None = None,
) -> Floats:
    """Turn inner products into values of a named kernel, in place where that can be.

    Parameters
    ----------
    kernel : Kernel
        With a number for gamma.
    products : (m, n) float64
    left, right : (m,), (n,) float64
        The rows' squared lengths, for the rbf kernel.
    """
    gamma = float(kernel.gamma)
    if left is not None and right is not None:
        products *= -2.0
        products += left[:, np.newaxis] + right
        np.maximum(products, 0.0, out=products)
        products *= -gamma
        return np.exp(products, out=products)
    if kernel.kind == "linear":
        return products
    products *= gamma
    products += kernel.coef0
    if kernel.kind == "sigmoid":
        return np.tanh(products, out=products)
    return products**kernel.degree


def squares(X: Any) -> Floats:
    """Return the squared length of each row."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def _called(kernel: Kernel, A: Any, B: Any) -> Floats:
    function = kernel.function
    values = np.asarray(function and function(A, B), dtype=np.float64)
    if values.shape != (A.shape[0], B.shape[0]) or not np.isfinite(values).all():
        msg = (
            "the kernel function must return finite values of shape"
            f" {(A.shape[0], B.shape[0])}, got shape {values.shape}"
        )
        raise ValueError(msg)
    return values


def _dense(values: Any) -> Floats:
    full = values.toarray() if sparse.issparse(values) else values
    return np.asarray(full, dtype=np.float64)
