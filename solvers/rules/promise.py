"""Tell whether a promise still holds on newly labelled rows.

The error on the new rows has a two-sided exact interval. It contradicts the promise
where its lower end is above the limit, confirms it where its upper end is not, and is
silent in between. A bound on the expected cost is held against the mean cost of the new
rows by the bounded-loss bound that made it, from either side. Rows of one group are one
draw; where the promise counted groups, every group counts once, however many its rows.
A row whose label is a probability is one row with its expected error or cost, and the
interval is one of such means.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.costs import CostMatrix
from solvers.metrics.inputs import as_groups
from solvers.metrics.intervals import Units
from solvers.rules.band import Band
from solvers.rules.certified_search import PairCounts, Pairs
from solvers.rules.error_demand import demand_of
from solvers.rules.inputs import as_positive
from solvers.rules.tails import mean_loss_tail

__all__ = ["check_cost_promise", "check_promise", "check_share_promise"]


def check_promise(
    facts: Mapping[str, Any],
    y: ArrayLike,
    decisions: ArrayLike,
    groups: ArrayLike | None = None,
) -> dict[str, Any]:
    """Return whether the promise of a bounded-error rule holds on new rows.

    Parameters
    ----------
    facts : mapping
        The payload of a fitted BoundedErrorRule.
    y : array-like of shape (n_rows,)
        Labels -1 and +1, or probabilities of +1.
    decisions : array-like of shape (n_rows,)
        What was decided: +1, -1 and 0 (reject).
    groups : array-like of shape (n_rows,), optional
        What rows were drawn together.

    Returns
    -------
    dict
        ``status``: "holds", "broken", "open" (too few rows to tell) or "nothing
        promised"; ``groups``: trials, errors, observed error and its interval.
    """
    if not facts["feasible"]:
        return {"status": "nothing promised", "groups": {}}
    decided = np.asarray(decisions)
    share = _shares(y, len(decided))
    counts = _counts(share, decided)
    demand = demand_of(facts["max_error"], facts["by"])
    tail = (1.0 - float(facts["confidence"])) / 2.0
    # Facts that do not name the thresholds leave both decisions possible.
    band = Band.from_payload({"lower": 0.0, "upper": 0.0, **facts})
    pair = Pairs(np.array([band.lower]), np.array([band.upper]))
    checked: dict[str, Any] = {}
    states = set()
    group_of = as_groups(groups, len(decided))
    weight = _weights(group_of, len(decided), once=facts.get("groups") is not None)
    units = None
    if len(decided):
        units = Units.of_rows(share, decided, weight, group_of)
    for group, limit in demand.limits.items():
        errors, trials = demand.counted(counts, group)
        low, high, found = 0.0, 1.0, None
        if units is not None and trials:
            cells = _CELLS[facts["by"], group]
            found, low, high = units.ratio(*cells, 1.0 - 2.0 * tail)
        # What the thresholds can never decide breaks nothing.
        broken, kept = low > limit, high <= limit or demand.never(pair, group)[0]
        states.add("broken" if broken else "holds" if kept else "open")
        checked[group] = {
            "trials": trials,
            "errors": errors,
            "error": found,
            "interval": [low, high],
            "max_error": limit,
        }
    status = next(s for s in ("broken", "open", "holds") if s in states)
    return {"status": status, "groups": checked}


def check_cost_promise(
    facts: Mapping[str, Any],
    costs: CostMatrix,
    y: ArrayLike,
    decisions: ArrayLike,
    groups: ArrayLike | None = None,
) -> dict[str, Any]:
    """Return whether the promise of a bounded-cost rule holds on new rows.

    Parameters
    ----------
    facts : mapping
        The payload of a fitted BoundedCostRule.
    costs : CostMatrix
        What the promise was made at.
    y, decisions, groups
        As in `check_promise`.

    Returns
    -------
    dict
        ``status`` as in `check_promise`; ``groups``: rows (or groups of rows), mean
        cost and its limit.
    """
    if not facts["feasible"]:
        return {"status": "nothing promised", "groups": {}}
    called = np.asarray(decisions)
    share = _shares(y, len(called))
    ones = np.ones(len(called), np.int8)
    spent = share * costs.of_decisions(ones, called)
    spent += (1.0 - share) * costs.of_decisions(-ones, called)
    if (group_of := as_groups(groups, len(spent))) is not None and len(spent):
        spent = np.bincount(group_of, spent) / np.bincount(group_of)
    rows, mean = len(spent), float(np.mean(spent)) if len(spent) else 0.0
    largest = float(facts["largest_cost"])
    lost, limit = mean / largest, float(facts["max_cost"]) / largest
    tail = (1.0 - float(facts["confidence"])) / 2.0
    kept = float(mean_loss_tail(lost, rows, limit)) <= tail
    broken = float(mean_loss_tail(1.0 - lost, rows, 1.0 - limit)) <= tail
    status = "broken" if broken else "holds" if kept else "open"
    group = {"rows": rows, "mean_cost": mean, "max_cost": float(facts["max_cost"])}
    return {"status": status, "groups": {"cost": group}}


def check_share_promise(
    facts: Mapping[str, Any], decisions: ArrayLike, groups: ArrayLike | None = None
) -> dict[str, Any]:
    """Return whether the promised limit on rejects holds on new rows.

    Parameters
    ----------
    facts : mapping
        The payload of a BoundedAbstentionRule with a confidence.
    decisions, groups
        As in `check_promise`.
    """
    rejected = np.asarray(decisions) == 0
    if not len(rejected):
        return {"status": "open", "groups": {}}
    group_of = as_groups(groups, len(rejected))
    weight = _weights(group_of, len(rejected), once=facts.get("groups") is not None)
    units = Units.of_rows(np.ones(len(rejected)), decisions, weight, group_of)
    rate, low, high = units.ratio(_cells((0, 2)), np.ones((2, 3)), facts["confidence"])
    limit = float(facts["max_reject_rate"])
    status = "broken" if low > limit else "holds" if high <= limit else "open"
    group = {
        "rows": len(rejected),
        "reject_rate": rate,
        "interval": [low, high],
        "max_reject_rate": limit,
    }
    return {"status": status, "groups": {"rejects": group}}


def _shares(y: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    """Return the probability of +1 of each row: 1 or 0 for a label."""
    given = np.asarray(y)
    doubtful = given.dtype.kind == "f" and ((given > 0.0) & (given < 1.0)).any()
    if not doubtful:
        return as_positive(y, n_rows).astype(np.float64)
    if given.shape != (n_rows,) or not ((given >= 0.0) & (given <= 1.0)).all():
        msg = f"y must hold {n_rows} labels -1 and +1, or probabilities in [0, 1]"
        raise ValueError(msg)
    return given.astype(np.float64)


def _weights(
    group_of: NDArray[np.intp] | None, rows: int, *, once: bool
) -> NDArray[np.float64]:
    """Return a weight of 1 a row; or of 1 a group, shared by its rows."""
    if group_of is None or not once:
        return np.ones(rows)
    return np.asarray(1.0 / np.bincount(group_of)[group_of])


def _cells(*places: tuple[int, int]) -> NDArray[np.float64]:
    """Return a table of truth (+1, -1) by decision (+1, -1, 0) with ones there."""
    table = np.zeros((2, 3))
    for place in places:
        table[place] = 1.0
    return table


# Errors and trials: see ``error_demand``.
_CELLS = {
    ("all", "all"): (_cells((0, 1), (1, 0)), _cells((0, 0), (0, 1), (1, 0), (1, 1))),
    ("decision", "+1"): (_cells((1, 0)), _cells((0, 0), (1, 0))),
    ("decision", "-1"): (_cells((0, 1)), _cells((0, 1), (1, 1))),
    ("label", "+1"): (_cells((0, 1)), _cells((0, 0), (0, 1))),
    ("label", "-1"): (_cells((1, 0)), _cells((1, 0), (1, 1))),
}


def _counts(share: NDArray[np.float64], decided: np.ndarray) -> PairCounts:
    def how_many(parts: NDArray[np.float64], code: int) -> Any:
        return np.asarray([parts[decided == code].sum()])

    return PairCounts(
        rows=len(decided),
        true_positive=how_many(share, 1),
        false_negative=how_many(share, -1),
        reject_positive=how_many(share, 0),
        false_positive=how_many(1.0 - share, 1),
        true_negative=how_many(1.0 - share, -1),
        reject_negative=how_many(1.0 - share, 0),
    )
