"""What a change of costs or of prevalence needs, without another fit.

``RocHull``, the convex hull of the empirical ROC curve, holds all of the scores that a
change of costs needs.

    A(i) = (c_+ - r_+) P_below(i) - r_- N_below(i)     cost of calling -1, not rejecting
    B(j) = (c_- - r_-) N_above(j) - r_+ P_above(j)     cost of calling +1, not rejecting

The empirical cost of cuts i <= j is A(i) + B(j) plus a constant. Both are linear in the
ROC point of their cut, so for every cost matrix both optima are vertices of the hull
(Tortorella 2004). They never cross: a block between them would have a share of +1 at
most p_- and at least p_+ > p_-. Among equal optima the one that rejects less is taken,
and therefore a higher reject cost never rejects a row that was decided before.

``band_at_costs`` is the band of a fitted rule at other costs, without its scores:

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

``prevalence_weights`` make rows of one share of +1 stand for another,

    w_+ = pi' / pi,     w_- = (1 - pi') / (1 - pi)

where the share of +1 in use is ``pi'`` and that among the rows is ``pi``, and the
scores of each class stay as they are. With these weights every rule, cost and rate is
that of the use (Elkan 2001).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.costs import CostMatrix
from solvers.errors import InfeasibleRuleError
from solvers.rules.band import Band
from solvers.rules.counts import Counts
from solvers.rules.inputs import as_positive, as_weights

__all__ = ["RocHull", "band_at_costs", "hull_of", "prevalence_weights"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RocHull:
    """Vertices of the hull, from the cut below all scores to the cut above all.

    Attributes
    ----------
    thresholds : ndarray of shape (h,)
        One threshold per vertex, -inf first and +inf last.
    positive_below, negative_below : ndarray of shape (h,)
        Weight of each class below it.
    """

    thresholds: Floats
    positive_below: Floats
    negative_below: Floats

    def best(self, costs: CostMatrix) -> Band:
        """Return the cheapest band at these costs; ties reject less."""
        lower = (
            costs.false_negative - costs.reject_positive
        ) * self.positive_below - costs.reject_negative * self.negative_below
        upper = (costs.false_positive - costs.reject_negative) * (
            self.negative_below[-1] - self.negative_below
        ) - costs.reject_positive * (self.positive_below[-1] - self.positive_below)
        i = _last_minimum(lower)
        j = len(upper) - 1 - _last_minimum(upper[::-1])
        # Only rounding could bring i above j (see the module).
        return Band(
            float(self.thresholds[min(i, j)]), float(self.thresholds[j]), closed=True
        )

    def payload(self) -> dict[str, Any]:
        """Return the vertices as lists of numbers; both ends have no threshold."""
        return {
            "thresholds": [None, *self.thresholds[1:-1].tolist(), None],
            "positive_below": self.positive_below.tolist(),
            "negative_below": self.negative_below.tolist(),
        }

    @classmethod
    def from_payload(cls, facts: Mapping[str, Any]) -> "RocHull":
        """Return the hull that ``payload`` described."""
        thresholds = np.asarray(facts["thresholds"], dtype=np.float64)
        thresholds[0], thresholds[-1] = -inf, inf
        return cls(
            thresholds,
            np.asarray(facts["positive_below"], dtype=np.float64),
            np.asarray(facts["negative_below"], dtype=np.float64),
        )


def hull_of(counts: Counts) -> RocHull:
    """Return the hull of the ROC curve of these counts.

    Its edges are the blocks of the isotonic regression of the label on the score.
    """
    # Fitting happens in the worker; a process that only decides loads no scipy.
    from scipy.optimize import isotonic_regression  # noqa: PLC0415

    positive = np.diff(counts.positive_below)
    total = positive + np.diff(counts.negative_below)
    cuts = isotonic_regression(positive / total, weights=total).blocks
    thresholds = np.asarray([counts.threshold(int(cut)) for cut in cuts])
    return RocHull(thresholds, counts.positive_below[cuts], counts.negative_below[cuts])


def _last_minimum(values: Floats) -> int:
    """Return the last index whose value is the minimum, up to rounding."""
    scale = float(np.max(np.abs(values)))
    ties = np.flatnonzero(values <= values.min() + 1e-12 * scale)
    return int(ties[-1])


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


def prevalence_weights(
    y: ArrayLike, prevalence: float, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return weights under which a share ``prevalence`` of the rows is +1.

    Parameters
    ----------
    y : array-like of shape (n_rows,), values -1 and +1
    prevalence : float in (0, 1)
    sample_weight : array-like of shape (n_rows,), optional
        Weights that the rows have already.

    Raises
    ------
    ValueError
        When the prevalence is not strictly between 0 and 1.
    InfeasibleRuleError
        When a class is absent.
    """
    if not 0.0 < prevalence < 1.0:
        msg = f"prevalence must lie strictly between 0 and 1, got {prevalence!r}"
        raise ValueError(msg)
    positive = as_positive(y, len(np.asarray(y)))
    given = as_weights(sample_weight, len(positive))
    weights = np.ones(len(positive)) if given is None else given
    share = float(np.average(positive, weights=weights)) if weights.any() else 0.0
    if not 0.0 < share < 1.0:
        msg = "no prevalence can be corrected where one class is absent"
        raise InfeasibleRuleError(msg)
    factor = np.where(positive, prevalence / share, (1.0 - prevalence) / (1.0 - share))
    return np.asarray(weights * factor)
