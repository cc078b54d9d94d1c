"""A kernel machine as data: f(x) = sum_j c_j k(s_j, x) + b.

The exponent of the RBF kernel is one matrix product of augmented rows,

    -gamma |x - s|^2 = [x, 1, |x|^2] . [2 gamma s, -gamma |s|^2, -gamma],

after both were moved by the mean of the support vectors, which keeps the terms small;
``gamma x.s + coef0`` likewise. A linear machine is one weight vector.

A row's score has the same bits wherever it stands: ``solvers.scoring.fixed_shapes``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.calibration import Calibration
from solvers.errors import UnknownNameError
from solvers.scoring.base import ScoreAlone, register
from solvers.scoring.fixed_shapes import (
    BLOCK,
    SEGMENT,
    filled,
    row_dots,
    same_bits_everywhere,
)

__all__ = ["KernelMachineScorer", "kernel_machine_payload"]

Floats = NDArray[np.float64]
Kind = Literal["linear", "polynomial", "rbf", "sigmoid"]

_KINDS = ("linear", "polynomial", "rbf", "sigmoid")
_FARTHEST = 1e100
_BUFFER = 65536
"""Kernel values held at once: they stay in the second-level cache."""


def kernel_machine_payload(
    kernel: Mapping[str, Any],
    support_vectors: ArrayLike,
    coefficients: ArrayLike,
    intercept: float,
) -> dict[str, Any]:
    """Return what `KernelMachineScorer.from_payload` reads.

    Parameters
    ----------
    kernel : mapping
        ``kind`` and, where the kind has them, numbers ``gamma``, ``degree``, ``coef0``.
    support_vectors : array-like of shape (n_vectors, n_features)
    coefficients : array-like of shape (n_vectors,)
    intercept : float
    """
    vectors = np.array(support_vectors, dtype=np.float64, order="C", ndmin=2)
    return {
        "kind": "kernel-machine",
        "kernel": {
            "kind": str(kernel["kind"]),
            "gamma": float(kernel.get("gamma", 1.0)),
            "degree": int(kernel.get("degree", 3)),
            "coef0": float(kernel.get("coef0", 0.0)),
        },
        "support_vectors": vectors,
        "coefficients": np.array(coefficients, dtype=np.float64).ravel(),
        "intercept": float(intercept),
    }


@dataclass(frozen=True, slots=True)
class _Segment:
    """Some support vectors, augmented and transposed, with their coefficients."""

    vectors: Floats
    coefficients: Floats


@register("kernel-machine")
class KernelMachineScorer(ScoreAlone):
    """Score rows by a kernel machine.

    Parameters
    ----------
    payload : mapping
        See `kernel_machine_payload`.

    Raises
    ------
    UnknownNameError
        When the kernel is none of linear, polynomial, rbf and sigmoid.
    ValueError
        When the shapes disagree or a number is not finite.
    """

    missing = False

    def __init__(self, payload: Mapping[str, Any]) -> None:
        kernel = payload["kernel"]
        if kernel["kind"] not in _KINDS:
            what = "kernel of a scorer"
            raise UnknownNameError(what, kernel["kind"], _KINDS)
        vectors, coefficients = _checked(payload)
        super().__init__(payload)
        self._kind: Kind = kernel["kind"]
        self._degree = int(kernel["degree"])
        self._intercept = float(payload["intercept"])
        self.n_features = vectors.shape[1]
        self._centre = np.zeros(self.n_features)
        self._weights = np.empty(0)
        self._segments: list[_Segment] = []
        self._block = BLOCK
        self._used = self.n_features + (2 if self._kind == "rbf" else 1)
        self._padded = filled(self._used)
        if self._kind == "linear":
            self._weights = np.zeros(filled(self.n_features))
            self._weights[: self.n_features] = vectors.T @ coefficients
            return
        if self._kind == "rbf" and len(vectors):
            self._centre = vectors.mean(axis=0)
        self._means: list[float] = self._centre.tolist()
        self._rest = [0.0] * (self._padded - self.n_features)
        augmented = _augmented(self._kind, kernel, vectors - self._centre)
        for start in range(0, len(vectors), SEGMENT):
            stop = min(start + SEGMENT, len(vectors))
            width = filled(stop - start)
            block = np.zeros((augmented.shape[1], width))
            block[:, : stop - start] = augmented[start:stop].T
            padded = np.zeros(width)
            padded[: stop - start] = coefficients[start:stop]
            self._segments.append(_Segment(block, padded))
        if not all(same_bits_everywhere(s.vectors) for s in self._segments):
            self._block = 1

    @property
    def kind(self) -> Kind:
        """The kernel: linear, polynomial, rbf or sigmoid."""
        return self._kind

    @property
    def gamma(self) -> float:
        """The kernel's width, where it has one."""
        return float(self._payload["kernel"]["gamma"])

    @property
    def vectors(self) -> Floats:
        """Return the support vectors, shape (n_vectors, n_features)."""
        return np.asarray(self._payload["support_vectors"], np.float64)

    @property
    def coefficients(self) -> Floats:
        """Return the weight of each support vector."""
        return np.asarray(self._payload["coefficients"], np.float64)

    @property
    def weights(self) -> Floats:
        """Return the weight of each column of a linear machine."""
        return self._weights[: self.n_features]

    def probability(self, X: Floats) -> Floats | None:
        """Return P(y = +1) by the machine's own link; None where it has none."""
        slope = self._payload.get("link_slope")
        if slope is None:
            return None
        link = Calibration.link(slope, self._payload.get("link_odds", 1.0))
        return link.probability(self.score(X))

    @np.errstate(over="ignore", invalid="ignore")
    def score(self, X: Floats) -> Floats:
        """Return f of each row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
            A row that overflows (a polynomial far outside its training rows) is
            infinite or NaN; an RBF machine says its intercept there.
        """
        n = len(X)
        if self._kind == "rbf":
            X = np.clip(X, -_FARTHEST, _FARTHEST)  # where every kernel value is 0
        if self._kind == "linear":
            rows = np.zeros((n, len(self._weights)))
            rows[:, : self.n_features] = X
            return row_dots(rows, self._weights) + self._intercept
        if n <= self._block and len(self._segments) == 1:
            return self._one_block(X)
        blocks = self._in_blocks(X)
        scores = np.full(n, self._intercept)
        for segment in self._segments:
            width = len(segment.coefficients)
            step = max(1, _BUFFER // (width * self._block))
            buffer = np.empty((min(step, len(blocks)), self._block, width))
            for start in range(0, len(blocks), step):
                part = blocks[start : start + step]
                products = np.matmul(part, segment.vectors, out=buffer[: len(part)])
                first = start * self._block
                values = products.reshape(-1, width)[: n - first]
                scores[first : first + len(values)] += np.vecdot(
                    self._kernel(values), segment.coefficients
                )
        return scores

    def score_of(self, row: Sequence[float]) -> float:
        """Return f of one row of plain numbers: the bits of `score`, in less time."""
        if self._kind == "linear" or len(self._segments) != 1:
            return float(self.score(np.array([row])).item())
        (segment,) = self._segments
        rows = np.zeros((self._block, self._padded))
        moved = [x - centre for x, centre in zip(row, self._means, strict=True)]
        moved += self._rest
        rows[0] = moved
        d = self.n_features
        if self._kind == "rbf":
            rows[0, d + 1] = row_dots(rows[:1], rows[:1])[0]
        rows[0, d] = 1.0
        products = np.matmul(rows[:, : self._used], segment.vectors)[:1]
        if self._kind != "polynomial":
            kernel = self._kernel(products)
            return float(np.vecdot(kernel, segment.coefficients)[0]) + self._intercept
        with np.errstate(over="ignore", invalid="ignore"):
            kernel = self._kernel(products)
            return float(np.vecdot(kernel, segment.coefficients)[0]) + self._intercept

    def _one_block(self, X: Floats) -> Floats:
        """Score few rows: the same operations, without what many rows need."""
        (segment,) = self._segments
        rows = np.zeros((self._block, self._padded))
        inside = rows[: len(X)]
        self._augment(X, inside)
        values = np.matmul(rows[:, : self._used], segment.vectors)
        kernel = self._kernel(values[: len(X)])
        return np.asarray(np.vecdot(kernel, segment.coefficients) + self._intercept)

    def _in_blocks(self, X: Floats) -> Floats:
        """Return the augmented rows in blocks, the last one filled with zeros."""
        count = -(-len(X) // self._block)
        rows = np.zeros((count * self._block, self._padded))
        self._augment(X, rows[: len(X)])
        return rows.reshape(count, self._block, self._padded)[..., : self._used]

    def _augment(self, X: Floats, rows: Floats) -> None:
        """Write rows, augmented, where zeros are."""
        d = self.n_features
        np.subtract(X, self._centre, out=rows[:, :d])
        if self._kind == "rbf":
            # The rest of the row is still zero: this is |x|^2.
            rows[:, d + 1] = row_dots(rows, rows)
        rows[:, d] = 1.0

    def _kernel(self, products: Floats) -> Floats:
        """Turn products into kernel values, in place."""
        if self._kind == "rbf":
            return np.exp(products, out=products)
        if self._kind == "sigmoid":
            return np.tanh(products, out=products)
        return _power(products, self._degree)


def _checked(payload: Mapping[str, Any]) -> tuple[Floats, Floats]:
    vectors = np.ascontiguousarray(payload["support_vectors"], dtype=np.float64)
    coefficients = np.ascontiguousarray(payload["coefficients"], dtype=np.float64)
    if vectors.ndim != 2 or coefficients.shape != (len(vectors),):
        msg = (
            "support_vectors of shape (n, d) need n coefficients, got shapes"
            f" {vectors.shape} and {coefficients.shape}"
        )
        raise ValueError(msg)
    finite = np.isfinite(vectors).all() and np.isfinite(coefficients).all()
    if not (finite and np.isfinite(payload["intercept"])):
        msg = "support vectors, coefficients and intercept must be finite"
        raise ValueError(msg)
    return vectors, coefficients


def _augmented(kind: Kind, kernel: Mapping[str, Any], vectors: Floats) -> Floats:
    gamma = float(kernel["gamma"])
    n = len(vectors)
    if kind == "rbf":
        squares = -gamma * np.einsum("ij,ij->i", vectors, vectors)
        return np.column_stack((2.0 * gamma * vectors, squares, np.full(n, -gamma)))
    return np.column_stack((gamma * vectors, np.full(n, float(kernel["coef0"]))))


def _power(values: Floats, degree: int) -> Floats:
    """Return ``values ** degree`` by squaring: faster than pow, the same everywhere."""
    result = np.ones_like(values)
    base = values
    while degree:
        if degree & 1:
            result *= base
        degree >>= 1
        if degree:
            base *= base
    return result
