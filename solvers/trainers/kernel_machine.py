"""What all kernel machines share: losses and a kernel in, support vectors out.

A machine turns its rows into losses (one convex piecewise-linear function each) and
calls ``_fit_losses``; the rest, from the kernel to the fitted attributes, is here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from solvers.dual.problem import DualProblem
from solvers.dual.registry import Progress
from solvers.dual.solution import DualSolution
from solvers.dual.solve import solve
from solvers.kernel_declarations import MACHINE
from solvers.kernels import Kernel, KernelRows, evaluate, kernel_sums
from solvers.losses import PiecewiseLinear
from solvers.parameters import Parameter, check
from solvers.scoring.kernel_machine import KernelMachineScorer
from solvers.trainers.landmarks import check_landmarks, fit_on_landmarks

__all__ = ["KernelMachine"]

Floats = NDArray[np.float64]

_CHUNK_BYTES = 8 * 2**20
_PERHAPS_INDEFINITE = {"sigmoid", "callable", "precomputed"}


@dataclass(frozen=True, slots=True, eq=False)
class CheckedRows:
    """The rows that a machine was given, and those of them that count.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_rows, n_features)
        All rows.
    used : (n_used,) int64
        The rows of a weight above zero: they count.
    targets, weights : ndarray of shape (n_used,)
        Theirs.
    """

    X: Any
    used: NDArray[np.int64]
    targets: NDArray[Any]
    weights: Floats


@dataclass(eq=False, repr=False, kw_only=True)
class KernelMachine(BaseEstimator):
    """Fit and score a kernel machine; a base for the public ones.

    The fields are the parameters that all machines have, given by name. A subclass
    declares those that may be given by position, ``C`` among them.
    """

    kernel: Any = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    solver: str = "auto"
    tol: float = 1e-3
    cache_size: float = 200
    max_iter: int = -1
    warm_start: bool = False
    class_weight: Mapping[Any, float] | str | None = None
    pos_label: Any = None
    landmarks: int | None = None
    random_state: Any = 0

    _declared: ClassVar[tuple[Parameter, ...]] = MACHINE
    _progress: Progress | None = field(default=None, init=False)
    _scorer: "_Scorer | None" = field(default=None, init=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def positive_score(self, X: ArrayLike) -> Floats:
        """Return the score of +1 for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            For the precomputed kernel: (n_rows, n_training_rows).

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        rows = validate_data(
            self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False
        )
        if self.kernel_.kind == "precomputed":
            scores = rows[:, self.support_] @ self.dual_coef_[0] + self.intercept_
            return np.asarray(scores, dtype=np.float64)
        if self._scorer is not None and not sparse.issparse(rows):
            return self._scorer.score(rows)
        return np.asarray(self._summed(rows) + self.intercept_[0])

    def _summed(self, rows: Any) -> Floats:
        """Return the scores without the intercept, by the kernel itself."""
        vectors, coefficients = self.support_vectors_, self.dual_coef_[0]
        both = sparse.issparse(rows) and sparse.issparse(vectors)
        if both and self.kernel_.kind != "callable":
            return kernel_sums(self.kernel_, rows, vectors, coefficients)
        scores = np.zeros(rows.shape[0])
        width = max(1, len(self.support_))
        step = max(1, _CHUNK_BYTES // (8 * width))
        for start in range(0, rows.shape[0] if len(self.support_) else 0, step):
            part = rows[start : start + step]
            block = evaluate(self.kernel_, part, vectors)
            scores[start : start + step] = block @ coefficients
        return scores

    def scorer_payload(self) -> dict[str, Any]:
        """Return the fitted machine as plain data, for ``solvers.scoring.load``.

        Raises
        ------
        ValueError
            For a precomputed or callable kernel, which plain data cannot hold.
        """
        check_is_fitted(self)
        if self.kernel_.kind in {"precomputed", "callable"}:
            msg = f"a {self.kernel_.kind} kernel cannot be served; use a named kernel"
            raise ValueError(msg)
        vectors: Any = self.support_vectors_
        dense = vectors.toarray() if sparse.issparse(vectors) else vectors
        return {
            "kind": "kernel-machine",
            "kernel": {
                "kind": self.kernel_.kind,
                "gamma": float(self.kernel_.gamma),
                "degree": int(self.kernel_.degree),
                "coef0": float(self.kernel_.coef0),
            },
            "support_vectors": np.ascontiguousarray(dense, dtype=np.float64),
            "coefficients": np.array(self.dual_coef_[0], dtype=np.float64),
            "intercept": float(self.intercept_[0]),
        }

    def _check_parameters(self) -> None:
        """Raise ValueError for a constructor parameter out of range."""
        check(self, self._declared)
        check_landmarks(self.landmarks, self.kernel)

    def _checked_rows(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> "CheckedRows":
        """Return what ``fit`` was given, checked, and which of its rows count."""
        rows, targets = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, order="C"
        )
        weights = _check_sample_weight(
            sample_weight, rows, dtype=np.float64, ensure_non_negative=True
        )
        used = np.flatnonzero(weights > 0)
        return CheckedRows(rows, used, targets[used], weights[used])

    def _kernel_and_counted(self, rows: "CheckedRows") -> tuple[Kernel, Any]:
        """Return the kernel, gamma learnt from the rows that count, and these rows.

        Of a kernel matrix they have their own columns alone.

        Raises
        ------
        ValueError
            When a kernel matrix is not square.
        """
        every = len(rows.used) == rows.X.shape[0]
        counted = rows.X if every else rows.X[rows.used]
        function = self.kernel if callable(self.kernel) else None
        kernel = Kernel(
            kind="callable" if function else self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            function=function,
        ).resolved(counted, rows.weights)
        if kernel.kind != "precomputed":
            return kernel, counted
        if rows.X.shape[1] != rows.X.shape[0]:
            msg = f"a precomputed kernel must be square, got shape {rows.X.shape}"
            raise ValueError(msg)
        return kernel, counted if every else counted[:, rows.used]

    def _fit_losses(
        self,
        rows: KernelRows,
        losses: PiecewiseLinear,
        used: NDArray[np.int64],
        X: Any,
        start: Floats | None = None,
    ) -> None:
        """Solve and set the fitted attributes.

        Parameters
        ----------
        rows : KernelRows
            Of the rows that count (weight above zero).
        losses : PiecewiseLinear
            Theirs, with C and weights multiplied in.
        used : array of int
            Their indices in X.
        X : array or CSR matrix of shape (n_rows, n_features)
            All rows.
        start : (n_used,) float64, optional
            Weights to begin from; with ``warm_start`` those of the last fit.
        """
        last: Floats | None = getattr(self, "_weights", None)
        if self.warm_start and last is not None and len(last) == X.shape[0]:
            start = last[used]
        settings: dict[str, Any] = {
            "solver": self.solver,
            "tolerance": float(self.tol),
            "max_iterations": int(self.max_iter),
            "cache_mb": float(self.cache_size),
            "start": start,
            "progress": self._progress,
        }
        if self.landmarks is None:
            solution = solve(DualProblem(rows, losses), **settings)
            kept = np.flatnonzero(solution.weights)
            coefficients = solution.weights[kept]
        else:
            random = check_random_state(self.random_state)
            on_landmarks = fit_on_landmarks(
                rows, losses, self.landmarks, random, **settings
            )
            solution, kept = on_landmarks.solution, on_landmarks.landmarks
            coefficients, self.rank_ = on_landmarks.coefficients, on_landmarks.rank
        if not solution.converged:
            message = _gap_left_open(solution, rows.kernel, self.tol)
            warn(message, ConvergenceWarning, stacklevel=3)
        self._weights = np.zeros(X.shape[0])
        self._weights[used] = solution.weights
        self.kernel_ = rows.kernel
        self.support_ = used[kept]
        precomputed = rows.kernel.kind == "precomputed"
        self.support_vectors_ = np.empty((0, 0)) if precomputed else X[self.support_]
        self.dual_coef_ = coefficients[np.newaxis]
        self.intercept_ = np.array([solution.bias])
        self.duality_gap_ = solution.gap
        self.n_iter_ = max(1, solution.iterations)
        self.solver_ = solution.solver
        named = rows.kernel.kind not in {"precomputed", "callable"}
        # The served form scores a row alike in any batch, and it is faster.
        dense = named and not sparse.issparse(X)
        self._scorer = _Scorer(self.scorer_payload()) if dense else None


def _gap_left_open(solution: DualSolution, kernel: Kernel, tol: float) -> str:
    """Return what a warning says of a solution that is not certified."""
    message = (
        f"stopped after {solution.iterations} iterations at a relative duality"
        f" gap of {solution.gap:.2e}, not certified at tol={tol:g}: this"
        " much of the objective may be missing; scale the columns, lower C, or"
        " raise max_iter or tol"
    )
    if kernel.kind in _PERHAPS_INDEFINITE:
        message += (
            f" (a {kernel.kind} kernel that is not positive semi-definite"
            " leaves the gap open)"
        )
    return message


class _Scorer:
    """The served form of a machine, built when it first scores."""

    def __init__(self, payload: dict[str, Any]) -> None:
        self._payload = payload
        self._built: KernelMachineScorer | None = None

    def score(self, X: Floats) -> Floats:
        """Return the score of each row of X."""
        if self._built is None:
            self._built = KernelMachineScorer(self._payload)
        return self._built.score(X)
