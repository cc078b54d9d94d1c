"""Second-order boosting of (h, r) on a surrogate, one tree of two outputs a round.

    (h, r)  <-  (h, r) + rate * (Newton's step of the leaf that the row falls in)

from the constant pair that minimises the surrogate. Leaf values are multiples of
2^-40, so that sums of them are exact in any order. Beyond Cortes et al. (2016).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.codes import Codes
from solvers.boosting.surrogates import Surrogate
from solvers.boosting.tree_growth import grow
from solvers.boosting.tree_rows import N_STATS, measure, summed_loss
from solvers.errors import Interrupted

__all__ = ["Tree", "TreeBoosting", "TreePath", "best_constant", "boost_trees"]

Floats = NDArray[np.float64]

_GRID = 2.0**40
_PURE = 1e-3
_HALVINGS = 40


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes in codes, as ``grow`` has them, and what each adds to (h, r)."""

    nodes: NDArray[np.int64]
    values: Floats

    def leaves(self, codes: Codes) -> NDArray[np.int64]:
        """Return the node in which each coded row ends."""
        node = np.zeros(codes.values.shape[1], dtype=np.int64)
        rows = np.arange(len(node))
        while True:
            feature, last, missing_left, left, right = self.nodes[node].T
            inner = feature >= 0
            if not inner.any():
                return node
            code = codes.values[np.maximum(feature, 0), rows]
            goes_left = np.where(code == codes.missing, missing_left, code <= last)
            node = np.where(inner, np.where(goes_left, left, right), node)


@dataclass(frozen=True, slots=True)
class TreeBoosting:
    """The settings of ``boost_trees``; see the trainer for what they mean."""

    n_rounds: int
    learning_rate: float
    max_depth: int
    penalty: float
    min_leaf_weight: float


@dataclass(slots=True)
class TreePath:
    """The constant pair, the trees, and the mean surrogate before and after each."""

    base: tuple[float, float]
    trees: list[Tree] = field(default_factory=list)
    objective: list[float] = field(default_factory=list)


def boost_trees(
    surrogate: Surrogate,
    codes: Codes,
    y: Floats,
    weight: Floats,
    settings: TreeBoosting,
    *,
    progress: Callable[[float, str], bool] | None = None,
    watch: Callable[[Tree], bool] | None = None,
) -> TreePath:
    """Boost trees.

    Parameters
    ----------
    surrogate : Surrogate
        Of the form "sum".
    codes : Codes
        In bytes.
    y, weight : arrays of shape (n_rows,)
    settings : TreeBoosting
    progress : callable, optional
        Called each round with (fraction, message); False raises Interrupted.
    watch : callable, optional
        Told each tree; True ends the boosting.
    """
    base = best_constant(surrogate, y, weight)
    path = TreePath(base)
    h, r = np.full(len(y), base[0]), np.full(len(y), base[1])
    # Costs in another currency must not change what the penalty means.
    unit = 1.0 / np.sqrt(surrogate.error_positive * surrogate.error_negative)
    errors, pulls = surrogate.errors(y), surrogate.pulls(y)
    rows = (y, unit * weight * errors, unit * weight * pulls, weight)
    kind = (surrogate.b, surrogate.loss == "logistic")
    stats, leaf_of = np.empty((len(y), N_STATS)), np.empty(len(y), dtype=np.int32)
    options = (settings.max_depth, settings.penalty, settings.min_leaf_weight)
    rate = settings.learning_rate
    mass, values_in = float(weight.sum()), np.asarray(codes.values, dtype=np.uint8)

    def mean_loss() -> float:
        return float(summed_loss(rows, h, r, kind) / unit / mass)

    path.objective.append(mean_loss())
    for round_ in range(settings.n_rounds):
        message = f"round {round_ + 1} of {settings.n_rounds}"
        if progress is not None and not progress(round_ / settings.n_rounds, message):
            raise Interrupted(message)
        measure(rows, h, r, kind, stats)
        nodes, steps = grow(values_in, codes.counts, stats, options, leaf_of)
        before = path.objective[-1]
        values, value = _step(mean_loss, before, (h, r), leaf_of, rate * steps)
        tree = Tree(nodes, values)
        path.trees.append(tree)
        path.objective.append(value)
        if watch is not None and watch(tree):
            break
    return path


def _step(
    mean_loss: Callable[[], float],
    before: float,
    pair: tuple[Floats, Floats],
    leaf_of: NDArray[np.int32],
    steps: Floats,
) -> tuple[Floats, float]:
    """Move (h, r) by the leaves' steps, halved until the loss does not rise.

    Newton's steps overshoot where exp(-b r) is far steeper than its parabola. Returns
    the steps taken, on the grid, and the loss after them.
    """
    h, r = pair
    for halved in range(_HALVINGS + 1):
        scale = 0.0 if halved == _HALVINGS else 0.5**halved
        values = np.rint(scale * steps * _GRID) / _GRID
        h += values[leaf_of, 0]
        r += values[leaf_of, 1]
        value = mean_loss()
        if value <= before * (1.0 + 1e-12):
            break
        # Sums of multiples of the grid are exact: this is the very same pair again.
        h -= values[leaf_of, 0]
        r -= values[leaf_of, 1]
    return values, value


def best_constant(
    surrogate: Surrogate, y: Floats, weight: Floats
) -> tuple[float, float]:
    """Return the pair (h, r) that minimises the surrogate without any feature.

    A share of +1 beyond 0.1 % or 99.9 % counts as that: the pair stays moderate.
    """
    share = float(weight[y > 0].sum() / weight.sum())
    share = min(max(share, _PURE), 1.0 - _PURE)
    sides = np.array([1.0, -1.0])
    parts = np.array([share, 1.0 - share])
    rows = (
        sides,
        parts * surrogate.errors(sides),
        parts * surrogate.pulls(sides),
        parts,
    )
    kind = (surrogate.b, surrogate.loss == "logistic")
    pair, stats = np.zeros(2), np.empty((2, N_STATS))

    def loss(at: Floats) -> float:
        hs, rs = np.full(2, at[0]), np.full(2, at[1])
        # A step to where it overflows is one that does not descend.
        with np.errstate(over="ignore"):
            return float(parts @ surrogate.value(sides, hs, rs))

    for _ in range(50):
        measure(rows, np.full(2, pair[0]), np.full(2, pair[1]), kind, stats)
        g, k, a, c, d = stats.sum(axis=0)[:5]
        step = -np.linalg.solve(np.array([[a, c], [c, d]]), np.array([g, k]))
        part = 1.0
        while loss(pair + part * step) > loss(pair) and part > 1e-6:
            part /= 2.0
        pair = pair + part * step
        if np.abs(step).max() < 1e-10:
            break
    h, r = (float(np.rint(value * _GRID) / _GRID) for value in pair)
    return h, r
