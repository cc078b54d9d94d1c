"""What guards mean for the rule behind them."""

import numpy as np

from app.evidence.scores import Evidence
from solvers.rules.registry import RULES

__all__ = ["notes_on_guards"]


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
