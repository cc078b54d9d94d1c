"""Dual coordinate descent for a linear machine with piecewise-linear losses.

    min_{w,b}  1/2 |w|^2 + sum_i L_i(z_i'w + b),      w = sum_i beta_i z_i

One row's weight after the other goes to its optimum given the others, where the row's
score is in the interval of knots that its weight allows; a sweep takes as long as a
product with the features. The condition ``sum_i beta_i = 0``, which the bias brings,
is met by an augmented Lagrangian: the bias follows the sum of the weights within a
sweep, and their multiplier after it. Rows at a corner of their box whose score is well
inside its interval are passed over until the next round (shrinking).

A round ends with the duality gap at weights that do sum to zero and at the best bias;
the last gap is taken in float64. Sources: Hsieh, Chang, Lin, Keerthi, Sundararajan
(2008), for the sweeps; Yu, Hsieh, Chang, Lin (2010), for features that are larger than
memory, of which one block after the other is made and swept.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from solvers.dual.coordinate_steps import sweep
from solvers.dual.feasible import feasible_start
from solvers.dual.registry import Progress, report
from solvers.dual.solution import DualSolution, certified
from solvers.kernels.landmarks import LandmarkFeatures
from solvers.losses import PiecewiseLinear

__all__ = ["Linear", "descend"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_SWEEPS = 12
"""Sweeps of a round at most."""
_PATIENCE, _BETTER = 10, 0.98
"""After so many rounds without a gap below ``_BETTER`` times the least one before,
rounding is taken for the cause, and the descent ends."""
_PART = 4096
_PIECE = 20_000_000
"""Features that are swept between two reports."""


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A machine on features: the dual solution, and the direction ``w`` of it."""

    solution: DualSolution
    direction: Floats


def descend(
    features: LandmarkFeatures,
    losses: PiecewiseLinear,
    *,
    tolerance: float,
    max_iterations: int,
    memory_mb: float,
    start: Floats | None,
    random: np.random.Generator,
    progress: Progress | None,
) -> Linear:
    """Fit a linear machine on features.

    Parameters
    ----------
    features : LandmarkFeatures
    losses : PiecewiseLinear
        One loss a row, weights and C multiplied in.
    tolerance : float
        Converged means: the relative duality gap is at most this.
    max_iterations : int
        Sweeps allowed, -1 for no limit.
    memory_mb : float
        Megabytes for features; where they are more, they are made again each round.
    start : array of shape (n_rows,), optional
    random : numpy Generator
        Of the order of the rows.
    progress : callable (fraction, message) -> bool, optional

    Raises
    ------
    Interrupted
        When ``progress`` returned False.
    """
    state = _State(features, losses, memory_mb, start, random, progress)
    best: Linear | None = None
    waited = 0
    while True:
        state.round(max_iterations, tolerance)
        found = state.checked(exact=False)
        if _holds(found, tolerance) or state.sweeps == max_iterations:
            found = state.checked(exact=True)
        if _holds(found, tolerance):
            return replace(found, solution=replace(found.solution, converged=True))
        before = np.inf if best is None else abs(best.solution.gap)
        gap = abs(found.solution.gap)
        waited = 0 if gap < _BETTER * before else waited + 1
        if best is None or gap < before:
            best = found
        if state.sweeps == max_iterations or waited == _PATIENCE:
            return best
        state.tell(min(gap, before), tolerance)


def _holds(found: Linear, tolerance: float) -> bool:
    return certified(found.solution.primal, found.solution.dual, tolerance)


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """Features of some rows, and their squared lengths."""

    values: NDArray[np.float32]
    squares: NDArray[np.float32]


class _State:
    """The weights on their way, and the features as far as they fit into memory."""

    def __init__(
        self,
        features: LandmarkFeatures,
        losses: PiecewiseLinear,
        memory_mb: float,
        start: Floats | None,
        random: np.random.Generator,
        progress: Progress | None,
    ) -> None:
        self._features, self._losses = features, losses
        self._random, self._progress = random, progress
        self._breakpoints = -losses.slopes[:, ::-1] + 0.0
        self._fraction = self._first = 0.0
        self._said = "features"
        self.sweeps = 0
        n = features.n_rows
        self._held = max(1000, int(memory_mb * 2**20) // (4 * features.rank))
        order = random.permutation(n)
        self._blocks = [order[i : i + self._held] for i in range(0, n, self._held)]
        self._kept = self._made(order) if len(self._blocks) == 1 else None
        self.beta = feasible_start(self._breakpoints, start)
        self._step = max(float(self._made(order[:_PART]).squares.mean()), 1e-12)
        self._bias, self._slack = 0.0, np.inf
        self._w = np.zeros(features.rank, np.float32)
        if self.beta.any():
            self.checked(exact=False)

    def round(self, most: int, tolerance: float) -> None:
        """Sweep all rows once, then those again whose weights may still move."""
        found = []
        far = 0.0
        for rows in self._blocks:
            Z = self._made(rows) if self._kept is None else self._kept
            places = np.arange(len(rows))
            moved, places = self._sweep(Z, rows, places, self._slack)
            found.append(rows[places] if self._kept is None else places)
            far = max(far, moved)
        self._end_of_sweep()
        places = rows = np.concatenate(found)
        if self._kept is not None:
            Z, rows = self._kept, self._blocks[0]
        else:  # what one block holds of them; after the first sweep, which leaves all
            some = self._held if np.isfinite(self._slack) else 0
            rows = self._random.permutation(rows)[:some]
            Z, places = self._made(rows), np.arange(len(rows))
        self._slack = far
        for _ in range(1, _SWEEPS):
            if far <= tolerance or self.sweeps == most or not len(places):
                break
            far, places = self._sweep(Z, rows, places, self._slack)
            self._end_of_sweep()
            self._slack = far

    def _made(self, rows: Indices) -> "_Made":
        values = self._features.single(rows)
        return _Made(values, np.einsum("ij,ij->i", values, values))

    def _end_of_sweep(self) -> None:
        # The multiplier of the sum goes where the bias is; the sum stays a part of it.
        self._bias += self._step * float(self.beta.sum())
        self.sweeps += 1

    def _sweep(
        self,
        Z: "_Made",
        rows: Indices,
        places: Indices,
        slack: float,
    ) -> tuple[float, Indices]:
        order = self._random.permutation(places)
        kept = np.empty(len(order), np.int64)
        knots, slopes = self._losses.knots, self._losses.slopes
        far, count, piece = 0.0, 0, max(1000, _PIECE // self._features.rank)
        for start in range(0, len(order), piece):
            self._report()
            self._bias, moved, more = sweep(
                Z.values,
                rows,
                order[start : start + piece],
                Z.squares,
                knots,
                slopes,
                self._w,
                self._bias,
                self.beta,
                self._step,
                slack,
                kept[count:],
            )
            far, count = max(far, moved), count + more
        return far, kept[:count]

    def checked(self, *, exact: bool) -> Linear:
        """Return feasible weights with both objectives, and go on from there.

        ``exact``: by the kernel in float64, not by the features as they are kept.
        """
        features, losses, Z = self._features, self._losses, self._kept
        self.beta = feasible_start(self._breakpoints, self.beta)
        if exact or Z is None:
            direction = features.direction(self.beta)
            scores = features.scores(direction)
        else:
            order = self._blocks[0]
            direction = _products(Z.values, self.beta[order])
            scores = np.empty(len(order))
            scores[order] = Z.values @ direction.astype(np.float32)
        bias = _best_bias(losses, scores)
        norm = 0.5 * float(direction @ direction)
        primal = norm + float(losses.value(scores + bias).sum())
        dual = -norm - float(losses.conjugate(-self.beta).sum())
        self._w, self._bias = direction.astype(np.float32), bias
        solution = DualSolution(
            weights=self.beta.copy(),
            bias=bias,
            iterations=self.sweeps,
            converged=False,
            solver="coordinate-descent",
            primal=primal,
            dual=dual,
        )
        return Linear(solution, direction)

    def tell(self, gap: float, tolerance: float) -> None:
        """Report how far the gap has closed, on a logarithmic scale."""
        if not self._first:
            self._first = gap
        whole = np.log(self._first / tolerance)
        if whole > 0.0:
            self._fraction = min(0.99, float(np.log(self._first / gap) / whole))
        self._said = f"{self.sweeps} sweeps, gap {gap:.1e}"
        self._report()

    def _report(self) -> None:
        report(self._progress, self._fraction, self._said)


def _products(Z: NDArray[np.float32], weights: Floats) -> Floats:
    """Return ``Z' weights``, summed in float64 from part to part."""
    total = np.zeros(Z.shape[1])
    for start in range(0, len(Z), _PART):
        stop = start + _PART
        total += weights[start:stop].astype(np.float32) @ Z[start:stop]
    return total


def _best_bias(losses: PiecewiseLinear, scores: Floats) -> float:
    """Return a bias at which the sum of the losses is least."""
    points = (losses.knots - scores[:, np.newaxis]).ravel()
    order = np.argsort(points)
    rises = np.diff(losses.slopes, axis=1).ravel()[order]
    slope = float(losses.slopes[:, 0].sum()) + np.cumsum(rises)
    flat = np.flatnonzero(slope >= 0.0)
    return float(points[order[flat[0] if len(flat) else -1]])
