"""Whether a stored promise still holds, by newly labelled rows.

A promise speaks of cases as they come, each counted once: with weights, or with another
share of +1 than the rows', there is nothing to count. A row whose label is a
probability is one case with its expected error.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evaluate.schemas import PromiseCheck
from app.evidence.part import Part
from solvers.costs import CostMatrix
from solvers.rules.promise import (
    check_cost_promise,
    check_promise,
    check_share_promise,
)

__all__ = ["check"]

_HOLDS = {"holds": True, "broken": False}


def check(
    rule: Mapping[str, Any],
    costs: CostMatrix | None,
    part: Part,
    decisions: NDArray[np.int8],
) -> PromiseCheck | None:
    """Return what the rows say of the promise of a rule; None where it gives none.

    Parameters
    ----------
    rule : mapping
        The payload of the fitted rule.
    costs : CostMatrix or None
        What the promise was made at.
    part : Part
    decisions : ndarray of shape (n_rows,), int8
        By the guards and the rule.
    """
    if rule.get("promise") is None:
        return None
    sentence = str(rule["promise"])
    if part.weighted:
        why = (
            "a promise is checked on rows as they come, each counted once: send no"
            " weights and no prevalence"
        )
        return PromiseCheck(
            status="not checked", holds=None, sentence=sentence, note=why
        )
    p, note = part.positive, None
    labels: NDArray[Any] = np.where(p > 0.5, 1, -1)
    if ((p > 0.0) & (p < 1.0)).any():
        labels = p
        note = (
            "errors and costs are expected ones, as the rows' probabilities have them"
        )
    if "max_cost" in rule:
        prices = costs or CostMatrix()
        verdict = check_cost_promise(rule, prices, labels, decisions, part.groups)
    elif "max_reject_rate" in rule:
        verdict = check_share_promise(rule, decisions, part.groups)
    else:
        verdict = check_promise(rule, labels, decisions, part.groups)
    status = verdict["status"]
    return PromiseCheck(
        status=status,
        holds=_HOLDS.get(status),
        sentence=sentence,
        note=note,
        groups=verdict["groups"],
    )
