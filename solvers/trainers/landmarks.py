"""A kernel machine on landmarks: the problem it solves, and the machine it becomes.

The exact problem with the kernel replaced by that of the rows' projections on the span
of m landmarks (``solvers.kernels.landmarks``). Few rows go to the exact solvers, with
their features as a linear kernel; more to coordinate descent. Either way the
certificate is the duality gap of the approximated problem.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.dual.coordinate_descent import descend
from solvers.dual.problem import DualProblem
from solvers.dual.registry import Progress, report
from solvers.dual.solution import DualSolution
from solvers.dual.solve import solve
from solvers.kernel_declarations import LANDMARKS
from solvers.kernels import Kernel, KernelRows
from solvers.kernels.landmarks import LandmarkFeatures
from solvers.losses import PiecewiseLinear

__all__ = ["OnLandmarks", "check_landmarks", "fit_on_landmarks"]

Floats = NDArray[np.float64]

_FEW_ROWS = 1000
"""Up to here features are float64 and ``auto`` takes an exact solver."""
_ROUNDING = {"float64": 1e-12, "float32": 1e-6}
"""Of the landmarks' eigenvalues, relative to the largest."""


@dataclass(frozen=True, slots=True, eq=False)
class OnLandmarks:
    """A fitted machine.

    Parameters
    ----------
    solution : DualSolution
        Of the approximated problem: weights of all rows, bias and certificate.
    landmarks : (m,) int64
        Their places among the rows, ascending.
    coefficients : (m,) float64
        The machine itself, on the landmarks.
    rank : int
        Of the approximated kernel.
    """

    solution: DualSolution
    landmarks: NDArray[np.int64]
    coefficients: Floats
    rank: int


def check_landmarks(landmarks: object, kernel: object) -> None:
    """Raise ValueError for a number of landmarks, or a kernel, that cannot be."""
    if landmarks is None:
        return
    LANDMARKS.check(landmarks)
    if kernel in {"linear", "precomputed"}:
        why = {
            "linear": "a linear kernel has the columns themselves for features",
            "precomputed": "a precomputed kernel has no rows to take landmarks from",
        }[str(kernel)]
        msg = f"{why}: leave landmarks out, or take another kernel"
        raise ValueError(msg)


def fit_on_landmarks(  # noqa: PLR0913 - what solve takes, and the draw
    rows: KernelRows,
    losses: PiecewiseLinear,
    landmarks: int,
    random: np.random.RandomState,
    *,
    solver: str,
    tolerance: float,
    max_iterations: int,
    cache_mb: float,
    start: Floats | None,
    progress: Progress | None,
) -> OnLandmarks:
    """Solve the approximated problem.

    Parameters
    ----------
    rows : KernelRows
    losses : PiecewiseLinear
    landmarks : int
    random : RandomState
    solver, tolerance, max_iterations, cache_mb, start, progress
        As for ``solve``; ``cache_mb`` is the memory for features.

    Raises
    ------
    ValueError
        When there are fewer rows than landmarks.
    """
    n = rows.n_rows
    if landmarks > n:
        msg = f"landmarks={landmarks} of {n} rows: give at most {n}, or None"
        raise ValueError(msg)
    places = np.sort(random.choice(n, landmarks, replace=False))

    def between() -> None:
        report(progress, 0.0, "features")

    exact = solver != "auto" or n <= _FEW_ROWS
    cut = _ROUNDING["float64" if exact else "float32"]
    features = LandmarkFeatures(rows, places, cut, between)
    if exact:
        Z = features.exact()
        problem = DualProblem(KernelRows(Kernel("linear"), Z), losses)
        solution = solve(
            problem,
            solver=solver,
            tolerance=tolerance,
            max_iterations=max_iterations,
            cache_mb=cache_mb,
            start=start,
            progress=progress,
        )
        direction = solution.weights @ Z
    else:
        found = descend(
            features,
            losses,
            tolerance=tolerance,
            max_iterations=max_iterations,
            memory_mb=cache_mb,
            start=start,
            random=np.random.default_rng(random.randint(2**31)),
            progress=progress,
        )
        solution, direction = found.solution, found.direction
    return OnLandmarks(solution, places, features.map @ direction, features.rank)
