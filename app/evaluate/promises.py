"""Whether a stored promise still holds, by newly labelled rows.

A promise speaks of cases as they come, each counted once: with weights, with another
share of +1 than the rows', or with uncertain labels there is nothing to count.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evaluate.schemas import PromiseCheck
from app.evidence.part import Part
from solvers.costs import CostMatrix
from solvers.rules.promise import check_cost_promise, check_promise

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
    certain = ((part.positive == 0.0) | (part.positive == 1.0)).all()
    if part.weighted or not certain:
        note = (
            "a promise is checked on rows with certain labels, each counted once: send"
            " no weights and no prevalence"
        )
        return PromiseCheck(
            status="not checked", holds=None, sentence=sentence, note=note
        )
    labels = np.where(part.positive > 0.5, 1, -1)
    if "max_cost" in rule:
        found = check_cost_promise(rule, costs or CostMatrix(), labels, decisions)
    else:
        found = check_promise(rule, labels, decisions)
    status = found["status"]
    return PromiseCheck(
        status=status,
        holds=_HOLDS.get(status),
        sentence=sentence,
        groups=found["groups"],
    )
