"""Rules whose thresholds follow from costs and parameters: no data are needed.

``PlugInRule`` takes the score for the log-odds:

    +1 if f > logit(p_+) / a,   -1 if f < logit(p_-) / a,   else reject

Source: Grandvalet et al. (2008), equation (9), with a = 1; the slope ``a`` of a machine
with its own link P(y = +1) = 1 / (1 + exp(-a f)) is Niaf et al. (2011), equation (2).

``ChowRule`` acts on a calibrated probability of +1:

    +1 if p > p_+,   -1 if p < p_-,   else reject

with the cost-optimal probabilities, or with ``p_- = t``, ``p_+ = 1 - t``: reject when
the larger posterior does not exceed 1 - t.

Source: Chow (1970); with general costs Grandvalet et al. (2008), equation (4).

``BartlettWegkampRule`` belongs to the symmetric double hinge:

    reject if |f| <= delta H(r) / r,     H(r) = -r log r - (1 - r) log(1 - r)

Their loss reaches zero at margin 1 where the double hinge reaches it at H(r) / r, so
their threshold ``delta`` on their score is ``delta H(r) / r`` on ours; ``r`` is the
reject cost over the error cost. At delta = 1/2 the rule equals the plug-in rule for
r near 0.24, rejects fewer rows below it and more above.

Source: Bartlett and Wegkamp (2008); Grandvalet et al. (2008), "a close relative".

``EmbeddedRule`` is the one that a joint booster has learnt together with its score:

    reject if r(x) <= 0,   else +1 if h(x) > 0,   else -1

Nothing is left to fit: the costs are in r already.
Source: Cortes, DeSalvo and Mohri (2016).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, log
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.costs import CostMatrix
from solvers.errors import InvalidCostsError
from solvers.rules.band import Band, Scale
from solvers.rules.base import FittedByScores, as_costs, as_number, parameter
from solvers.rules.inputs import as_scores

__all__ = ["BartlettWegkampRule", "ChowRule", "EmbeddedRule", "PlugInRule"]

Floats = NDArray[np.float64]


class RuleOfParameters(FittedByScores, ABC):
    """A rule whose thresholds follow from its parameters alone."""

    learns: ClassVar[bool] = False

    def fit(
        self,
        scores: ArrayLike | None = None,
        y: ArrayLike | None = None,  # noqa: ARG002 - the protocol's signature
        sample_weight: ArrayLike | None = None,  # noqa: ARG002
    ) -> Self:
        """Set the thresholds; the scores are only checked, and nothing else is read.

        Parameters
        ----------
        scores : array-like of shape (n_rows,), optional
        y, sample_weight : array-like of shape (n_rows,), optional
        """
        if scores is not None:
            self._check(as_scores(scores))
        self.band_ = self._band()
        return self

    def _check(self, scores: Floats) -> None:
        """Refuse finite scores that the rule does not act on."""

    @abstractmethod
    def _band(self) -> Band:
        """Return the band that the parameters make."""


@dataclass(eq=False)
class PlugInRule(RuleOfParameters):
    """Thresholds at the log-odds of the two cost-optimal probabilities.

    Parameters
    ----------
    costs : CostMatrix or mapping, default=None
        ``None``: an error costs 1, a reject 0.25.
    slope : float, default=1.0
        The link's slope: P(y = +1) = 1 / (1 + exp(-slope * score)).
    """

    kind: ClassVar[str] = "plug-in"
    believes: ClassVar[bool] = True

    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None, metadata=parameter("costs", "The four prices of a decision.")
    )
    slope: float = field(
        default=1.0,
        metadata=parameter(
            "number", "Slope of the scorer's own link.", minimum=0.0, served=False
        ),
    )

    def _band(self) -> Band:
        if not as_number("slope", self.slope) > 0.0:
            msg = f"slope must be a positive number, got {self.slope!r}"
            raise ValueError(msg)
        lower, upper = as_costs(self.costs).thresholds
        return Band(lower / self.slope, upper / self.slope)

    def facts(self) -> dict[str, Any]:
        """Return the slope of the link."""
        return {"slope": float(self.slope)}


@dataclass(eq=False)
class ChowRule(RuleOfParameters):
    """The optimal rule where the probability is right.

    ``fit`` and ``decide`` take probabilities of +1, not scores.

    Parameters
    ----------
    costs : CostMatrix or mapping, default=None
        With neither parameter: an error costs 1, a reject 0.25.
    reject_threshold : float in (0, 0.5], default=None
        Reject when the larger posterior is at most ``1 - reject_threshold``.
        Instead of costs, not beside them.
    """

    kind: ClassVar[str] = "chow"
    on: ClassVar[Scale] = "probability"

    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None, metadata=parameter("costs", "The four prices of a decision.")
    )
    reject_threshold: float | None = field(
        default=None,
        metadata=parameter(
            "number",
            "Reject when the larger posterior is at most 1 minus this; instead of"
            " costs.",
            minimum=0.0,
            open_below=True,
            maximum=0.5,
        ),
    )

    def _check(self, scores: Floats) -> None:
        if np.any((scores < 0) | (scores > 1)):
            msg = "the chow rule acts on probabilities: values must lie in [0, 1]"
            raise ValueError(msg)

    def _band(self) -> Band:
        if self.reject_threshold is None:
            costs = as_costs(self.costs)
            lower, upper = costs.p_minus, costs.p_plus
        else:
            lower = self._threshold()
            upper = 1.0 - lower
        return Band(lower, upper, on="probability")

    def facts(self) -> dict[str, Any]:
        """Return the reject threshold where the rule has one."""
        if self.reject_threshold is None:
            return {}
        return {"reject_threshold": float(self.reject_threshold)}

    def _threshold(self) -> float:
        threshold = as_number("reject_threshold", self.reject_threshold)
        if self.costs is not None:
            msg = "give either costs or reject_threshold, not both"
            raise ValueError(msg)
        if not 0.0 < threshold <= 0.5:
            msg = f"reject_threshold must lie in (0, 0.5], got {threshold!r}"
            raise ValueError(msg)
        return threshold


@dataclass(eq=False)
class BartlettWegkampRule(RuleOfParameters):
    """A symmetric band around zero, fixed by the symmetric costs.

    Parameters
    ----------
    costs : CostMatrix or mapping, default=None
        Both classes must have the same costs.
    delta : float, default=0.5
        The threshold in the rule's own scale, where the loss reaches zero at 1.

    Raises
    ------
    InvalidCostsError
        In ``fit``, when the costs of the two classes differ.
    """

    kind: ClassVar[str] = "bartlett-wegkamp"
    costs_use: ClassVar[Literal["needed", "symmetric", "optional"]] = "symmetric"
    believes: ClassVar[bool] = True

    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None,
        metadata=parameter("costs", "The prices, the same for both classes."),
    )
    delta: float = field(
        default=0.5,
        metadata=parameter(
            "number",
            "Threshold in the scale where the loss reaches zero at 1.",
            minimum=0.0,
            maximum=1.0,
        ),
    )

    def _band(self) -> Band:
        costs = as_costs(self.costs)
        if not costs.is_symmetric:
            msg = (
                "the bartlett-wegkamp rule needs the same costs for both classes, got"
                f" {costs}; use the plug-in rule"
            )
            raise InvalidCostsError(msg)
        if not 0.0 <= as_number("delta", self.delta) <= 1.0:
            msg = f"delta must lie in [0, 1], got {self.delta!r}"
            raise ValueError(msg)
        r = costs.reject_positive / costs.false_positive
        entropy = -r * log(r) - (1.0 - r) * log(1.0 - r)
        half_width = self.delta * entropy / r
        return Band(-half_width, half_width)

    def facts(self) -> dict[str, Any]:
        """Return delta."""
        return {"delta": float(self.delta)}


@dataclass(eq=False)
class EmbeddedRule(RuleOfParameters):
    """Reject where the learnt reject function is not positive.

    ``decide`` takes h(x) and, as its second argument, r(x).

    Parameters
    ----------
    costs : CostMatrix or mapping, default=None
        The costs that the booster was trained with; they change nothing here.
    """

    kind: ClassVar[str] = "embedded"
    on: ClassVar[Scale] = "reject-function"

    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None, metadata=parameter("costs", "The costs trained with.")
    )

    def _band(self) -> Band:
        return Band(-inf, inf, on="reject-function")
