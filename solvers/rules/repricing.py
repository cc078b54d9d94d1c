"""The band of a fitted rule at other costs, without the scores it was fitted on.

=============  ===============================================================
rule           at other costs
=============  ===============================================================
chow           p_- and p_+ of the new costs, on the same probability; they replace
               a ``reject_threshold`` too
plug-in        logit(p_-) / a and logit(p_+) / a, where the link with slope a is
               the scorer's own and not made for the old costs
expected-cost  the tangent points of the ROC convex hull (method "roc")
=============  ===============================================================

Every other rule chose its thresholds for the old costs, or has none.
"""

from collections.abc import Mapping
from typing import Any

from solvers.costs import CostMatrix
from solvers.errors import InfeasibleRuleError
from solvers.rules.band import Band
from solvers.rules.roc_hull import RocHull

__all__ = ["band_at_costs"]


def band_at_costs(
    facts: Mapping[str, Any], costs: CostMatrix, *, own_link: bool = False
) -> Band:
    """Return the band at other costs.

    Parameters
    ----------
    facts : mapping
        The payload of a fitted rule.
    costs : CostMatrix
    own_link : bool, default=False
        Whether the scorer's link holds for every probability (a p-svm), not only near
        the old p_- and p_+ (a double hinge).

    Raises
    ------
    InfeasibleRuleError
        With the reason, where the rule cannot follow.
    """
    kind = facts["kind"]
    if kind == "chow":
        return Band(costs.p_minus, costs.p_plus, on="probability")
    if kind == "plug-in" and own_link:
        lower, upper = costs.thresholds
        slope = float(facts.get("slope", 1.0))
        return Band(lower / slope, upper / slope)
    if kind == "expected-cost" and facts.get("hull") is not None:
        return RocHull.from_payload(facts["hull"]).best(costs)
    if kind == "plug-in":
        msg = (
            "the score estimates probabilities only near those of the costs it was"
            " trained for; train again, or ask for a rule on the score"
        )
    else:
        msg = (
            f"the thresholds of the {kind} rule do not follow from costs alone; fit it"
            " again"
        )
    raise InfeasibleRuleError(msg)
