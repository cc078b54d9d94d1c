"""Tell whether a promise still holds on newly labelled rows.

The error on the new rows has a two-sided exact interval. It contradicts the promise
where its lower end is above the limit, confirms it where its upper end is not, and is
silent in between.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solvers.rules.certified_search import PairCounts
from solvers.rules.error_demand import demand_of
from solvers.rules.inputs import as_positive
from solvers.rules.tails import binomial_interval

__all__ = ["check_promise"]


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
    groups: dict[str, Any] = {}
    states = set()
    for group, limit in demand.limits.items():
        errors, trials = (int(part[0]) for part in demand.group(counts, group))
        low, high = binomial_interval(errors, trials, tail)
        broken, kept = low > limit, high <= limit
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
