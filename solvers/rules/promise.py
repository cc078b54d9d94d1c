"""Tell whether a promise still holds on newly labelled rows.

The error on the new rows has a two-sided exact interval. It contradicts the promise
where its lower end is above the limit, confirms it where its upper end is not, and is
silent in between. A bound on the expected cost is held against the mean cost of the new
rows by the bounded-loss bound that made it, from either side.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.rules.certified_search import PairCounts, Pairs
from solvers.rules.error_demand import demand_of
from solvers.rules.inputs import as_positive
from solvers.rules.tails import binomial_interval, mean_loss_tail

__all__ = ["check_cost_promise", "check_promise"]


def check_promise(
    facts: Mapping[str, Any], y: ArrayLike, decisions: ArrayLike
) -> dict[str, Any]:
    """Return whether the promise of a bounded-error rule holds on new rows.

    Parameters
    ----------
    facts : mapping
        The payload of a fitted BoundedErrorRule.
    y : array-like of shape (n_rows,), values -1 and +1
    decisions : array-like of shape (n_rows,)
        What was decided: +1, -1 and 0 (reject).

    Returns
    -------
    dict
        ``status``: "holds", "broken", "open" (too few rows to tell) or "nothing
        promised"; ``groups``: trials, errors, observed error and its interval.
    """
    if not facts["feasible"]:
        return {"status": "nothing promised", "groups": {}}
    decided = np.asarray(decisions)
    counts = _counts(as_positive(y, len(decided)), decided)
    demand = demand_of(facts["max_error"], facts["by"])
    tail = (1.0 - float(facts["confidence"])) / 2.0
    # Facts that do not name the thresholds leave both decisions possible.
    band = Band.from_payload({"lower": 0.0, "upper": 0.0, **facts})
    pair = Pairs(np.array([band.lower]), np.array([band.upper]))
    groups: dict[str, Any] = {}
    states = set()
    for group, limit in demand.limits.items():
        errors, trials = (int(part[0]) for part in demand.group(counts, group))
        low, high = binomial_interval(errors, trials, tail)
        # What the thresholds can never decide breaks nothing.
        broken, kept = low > limit, high <= limit or demand.never(pair, group)[0]
        states.add("broken" if broken else "holds" if kept else "open")
        groups[group] = {
            "trials": trials,
            "errors": errors,
            "error": errors / trials if trials else None,
            "interval": [low, high],
            "max_error": limit,
        }
    status = next(s for s in ("broken", "open", "holds") if s in states)
    return {"status": status, "groups": groups}


def check_cost_promise(
    facts: Mapping[str, Any], costs: CostMatrix, y: ArrayLike, decisions: ArrayLike
) -> dict[str, Any]:
    """Return whether the promise of a bounded-cost rule holds on new rows.

    Parameters
    ----------
    facts : mapping
        The payload of a fitted BoundedCostRule.
    costs : CostMatrix
        What the promise was made at.
    y, decisions
        As in `check_promise`.

    Returns
    -------
    dict
        ``status`` as in `check_promise`; ``groups``: rows, mean cost and its limit.
    """
    if not facts["feasible"]:
        return {"status": "nothing promised", "groups": {}}
    spent = costs.of_decisions(y, decisions)
    rows, mean = len(spent), float(np.mean(spent)) if len(spent) else 0.0
    largest = float(facts["largest_cost"])
    share, limit = mean / largest, float(facts["max_cost"]) / largest
    tail = (1.0 - float(facts["confidence"])) / 2.0
    kept = float(mean_loss_tail(share, rows, limit)) <= tail
    broken = float(mean_loss_tail(1.0 - share, rows, 1.0 - limit)) <= tail
    status = "broken" if broken else "holds" if kept else "open"
    group = {"rows": rows, "mean_cost": mean, "max_cost": float(facts["max_cost"])}
    return {"status": status, "groups": {"cost": group}}


def _counts(positive: np.ndarray, decided: np.ndarray) -> PairCounts:
    def how_many(truth: bool, code: int) -> Any:
        return np.asarray([np.count_nonzero((positive == truth) & (decided == code))])

    return PairCounts(
        rows=len(decided),
        true_positive=how_many(True, 1),
        false_negative=how_many(True, -1),
        reject_positive=how_many(True, 0),
        false_positive=how_many(False, 1),
        true_negative=how_many(False, -1),
        reject_negative=how_many(False, 0),
    )
