"""Projected coordinate descent on the weights of abstention stumps.

    min over alpha >= 0 of  F(alpha) = sum_i s_i L(h(x_i), r(x_i), y_i) / sum_i s_i
                                       + beta sum_j alpha_j

with (h, r) = sum_j alpha_j (h_j, r_j) over all abstention stumps and the constant
pair. Each round takes the pair whose directional derivative is steepest among those
that may move: a weight of 0 only up, a positive weight down as well, to 0 at most.
Source: Cortes et al. (2016), equation 6 and section 4.2.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import log, sqrt

from solvers.boosting.finder import Finder
from solvers.boosting.line import minimise
from solvers.boosting.rows import Rows
from solvers.boosting.stumps import CONSTANT, Pair
from solvers.errors import Interrupted

__all__ = ["LARGEST_STEP", "Path", "Settings", "descend", "on_grid"]

LARGEST_STEP = 25.0
"""A stump without a single wrong answer has no best step; this one leaves e^-25."""

_GRID = 2.0**40
_FLAT = 1e-9

Progress = Callable[[float, str], bool]
Watcher = Callable[[Pair, float], bool]


@dataclass(frozen=True, slots=True)
class Settings:
    """What the descent may do.

    Parameters
    ----------
    n_rounds : int
        Steps at most.
    beta : float
        The penalty on the sum of the weights.
    step : {"line-search", "closed-form"}
    learning_rate : float
        The part of each step that is taken.
    rejects : bool
        False searches stumps that never reject, without the constant pair and
        without steps down: AdaBoost.
    """

    n_rounds: int
    beta: float = 0.0
    step: str = "line-search"
    learning_rate: float = 1.0
    rejects: bool = True
    keep_lowest: bool = False


@dataclass(slots=True)
class Path:
    """Every step of a descent: pairs in the order met, steps, F before and after.

    ``best_round`` is the last one, or that of the lowest F where only that is kept.
    """

    pairs: list[Pair] = field(default_factory=list)
    steps: list[tuple[int, float]] = field(default_factory=list)
    objective: list[float] = field(default_factory=list)
    best_round: int = 0
    converged: bool = False

    def note(self, value: float, *, keep_lowest: bool) -> None:
        """Note F after one more round."""
        if not keep_lowest or value <= self.objective[-1]:
            self.best_round = len(self.objective)
        elif keep_lowest:
            value = self.objective[-1]
        self.objective.append(value)

    def weights(self, n_rounds: int | None = None) -> list[float]:
        """Return the weight of each pair after the first rounds (all of them)."""
        totals = [0.0] * len(self.pairs)
        for place, eta in self.steps[:n_rounds]:
            totals[place] += eta
        return totals


def on_grid(eta: float) -> float:
    """Return a step rounded to 2^-40: sums of such weights are exact in any order."""
    return round(eta * _GRID) / _GRID


def descend(
    rows: Rows,
    finder: Finder,
    weight_sum: float,
    settings: Settings,
    *,
    progress: Progress | None = None,
    watch: Watcher | None = None,
) -> Path:
    """Run the descent.

    Parameters
    ----------
    rows : Rows
        The weighted rows at alpha = 0; they are moved.
    finder : Finder
        Searches the same rows.
    weight_sum : float
        The sum of the sample weights.
    settings : Settings
    progress : callable, optional
        Called each round with (fraction, message); False raises Interrupted.
    watch : callable, optional
        Told each step as (pair, eta); True ends the descent (early stopping).
    """
    path = Path(objective=[rows.reported / weight_sum])
    weights: dict[Pair, float] = {}
    places: dict[Pair, int] = {}
    penalty = settings.beta * weight_sum
    flat = _FLAT * (rows.signed_sum + rows.pull_sum)
    for round_ in range(settings.n_rounds):
        if progress is not None:
            message = f"round {round_ + 1} of {settings.n_rounds}"
            if not progress(round_ / settings.n_rounds, message):
                raise Interrupted(message)
        move = _next_move(rows, finder, weights, penalty, flat, settings)
        if move is None:
            path.converged = True
            break
        pair, eta = move
        rows.step(pair, eta)
        if pair not in weights:
            places[pair] = len(path.pairs)
            path.pairs.append(pair)
        weights[pair] = weights.get(pair, 0.0) + eta
        path.steps.append((places[pair], eta))
        total = settings.beta * sum(weights.values())
        value = rows.reported / weight_sum + total
        path.note(value, keep_lowest=settings.keep_lowest)
        if watch is not None and watch(pair, eta):
            break
    return path


def _next_move(
    rows: Rows,
    finder: Finder,
    weights: dict[Pair, float],
    penalty: float,
    flat: float,
    settings: Settings,
) -> tuple[Pair, float] | None:
    """Return the steepest pair and its step, or None where every slope is flat."""
    for exact in (False, True) if finder.packs else (True,):
        for pair, slope in _candidates(rows, finder, weights, penalty, exact, settings):
            if not abs(slope) > flat:
                break
            start = rows.line(pair)(0.0)
            true = start[0] + penalty
            # Packed sums may mislead near the end: then ask for exact ones.
            if not exact and abs(true - slope) > 0.1 * abs(slope):
                break
            held = weights.get(pair, 0.0)
            eta = _step(rows, pair, start, held, penalty, settings)
            if eta != 0.0:
                return pair, eta
    return None


def _candidates(
    rows: Rows,
    finder: Finder,
    weights: dict[Pair, float],
    penalty: float,
    exact: bool,
    settings: Settings,
) -> list[tuple[Pair, float]]:
    """Return pairs that may move with their slopes, steepest first."""
    held = [pair for pair, weight in weights.items() if weight > 0.0]
    searched = held if settings.rejects else []
    if settings.rejects and CONSTANT not in held:
        searched = [*held, CONSTANT]
    found = finder.search(rows, searched, exact=exact)
    moves = []
    if found.slope + penalty < 0.0:
        moves.append((found.stump, found.slope + penalty))
    for pair, slope in zip(searched, found.held, strict=True):
        if slope + penalty < 0.0 or weights.get(pair, 0.0) > 0.0:
            moves.append((pair, float(slope) + penalty))
    return sorted(moves, key=lambda move: -abs(move[1]))


def _step(
    rows: Rows,
    pair: Pair,
    start: tuple[float, float],
    held: float,
    penalty: float,
    settings: Settings,
) -> float:
    """Return the step along a pair, at least -held; 0 where none descends."""
    eta = None
    if settings.step == "closed-form":
        eta = _closed_form(rows, pair, start[0], penalty, held)
    if eta is None:
        slopes = rows.line(pair)

        def penalised(at: float) -> tuple[float, float]:
            first, second = slopes(at)
            return first + penalty, second

        begin = (start[0] + penalty, start[1])
        eta = minimise(penalised, begin, -held, LARGEST_STEP, tolerance=rows.tolerance)
    if eta > -held:
        eta = max(on_grid(settings.learning_rate * eta), -held)
    return eta


def _closed_form(
    rows: Rows, pair: Pair, slope: float, penalty: float, held: float
) -> float | None:
    """Return the paper's step, or None where it is undefined or does not descend.

    It minimises Z e^eta + (Z_1 - Z) e^-eta + penalty eta, a bound on F that holds
    for exponents in [-1, 1] only, with Z_1 the sum of w1 and Z = (Z_1 + slope) / 2
    (Cortes et al. 2016, Figure 3, lines 6 to 9).
    """
    z1 = rows.signed_sum
    z = 0.5 * (z1 + slope)
    if not 0.0 < z < z1:
        return None
    half = penalty / (2.0 * z)
    eta = log(-half + sqrt(half * half + z1 / z - 1.0))
    eta = min(max(eta, -held), LARGEST_STEP)
    if rows.loss_at(pair, eta) + penalty * eta < rows.loss:
        return eta
    return None
