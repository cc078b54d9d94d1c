"""Warnings that follow from guards, thresholds and scores."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evidence.scores import Evidence
from app.guards.guards import GUARDS, reason_counts
from solvers.rules.registry import RULES
from solvers.scoring import Outputs

__all__ = [
    "notes_on_guards",
    "notes_on_rejects",
    "notes_on_scores",
    "notes_on_thresholds",
]

_MANY = 0.1
_FEW_ROWS = 20


def notes_on_guards(kind: str, evidence: Evidence | None) -> list[str]:
    """Return what the user of a guarded rule should know.

    Parameters
    ----------
    kind : str
        The rule's name.
    evidence : Evidence or None
        The rows that the rule was chosen on.
    """
    if evidence is None or evidence.guarded is None:
        return []
    stopped, rows = int(np.count_nonzero(evidence.guarded)), len(evidence.scores)
    if not stopped:
        return []
    if RULES[kind].promises:
        return [
            f"guards reject {stopped} of the {rows} calibration rows: the promise was"
            " counted on the others, and speaks of the cases that are decided"
        ]
    if kind == "bounded-abstention":
        return [
            f"guards reject {stopped} of the {rows} training rows: the limit on rejects"
            " holds for the others, and what guards reject comes on top"
        ]
    return []


def notes_on_thresholds(facts: Mapping[str, Any]) -> list[str]:
    """Return what is said of a fitted rule that decides every row alike."""
    if facts.get("feasible") is False:
        return [f"every row is rejected: {facts['promise']}"]
    always = facts.get("always")
    if always is None:
        return []
    done = "rejected" if always == "reject" else f"called {always}"
    return [f"every row is {done}: no threshold on these scores does better"]


def notes_on_scores(outputs: Outputs) -> list[str]:
    """Return a warning where a scorer says the same of every row."""
    scores, rejects = outputs.score, outputs.reject_score
    if (
        len(scores) < _FEW_ROWS
        or np.ptp(scores)
        or (rejects is not None and np.ptp(rejects))
    ):
        return []
    return [
        "the model learnt nothing: every row has the same score; let it fit closer (a"
        " larger C, another gamma, smaller leaves, less penalty, more steps), or give"
        " it columns that tell the classes apart"
    ]


def notes_on_rejects(guarded: NDArray[np.int8] | None) -> list[str]:
    """Return a warning where guards reject more than a tenth of the judged rows."""
    if guarded is None or np.count_nonzero(guarded) <= _MANY * len(guarded):
        return []
    counted = zip(GUARDS, reason_counts(guarded)[: len(GUARDS)], strict=True)
    reasons = ", ".join(f"{name} {count}" for name, count in counted if count)
    return [
        f"guards reject {np.count_nonzero(guarded)} of {len(guarded)} rows ({reasons}):"
        " leave such a column out, train on rows that have such values, or decide them"
        " with the guard set to false"
    ]
