"""The decisions of a rule on stored scores, as the served model takes them on rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evidence.scores import Evidence
from solvers.calibration import Calibration
from solvers.rules.band import Band

__all__ = ["decide"]


def decide(
    rule: Mapping[str, Any], calibration: Calibration, evidence: Evidence
) -> NDArray[np.int8]:
    """Return +1, -1 or 0 (reject) for each row, guards first.

    Parameters
    ----------
    rule : mapping
        The payload of a fitted rule.
    calibration : Calibration
        Gives the probability that some rules act on.
    evidence : Evidence
    """
    band, values = Band.from_payload(rule), evidence.scores
    if band.on == "probability":
        values = calibration.probability(evidence.calibrated_on)
    if evidence.prices is None:
        decisions = band.decide(values, evidence.reject_scores)
    else:
        decisions = evidence.prices.decide(values)
    if evidence.guarded is None:
        return decisions
    return np.where(evidence.guarded == 0, decisions, np.int8(0))
