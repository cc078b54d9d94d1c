"""The body of a re-pricing, and its answer."""

from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, model_validator

from app.models.schemas import VersionRef
from app.strict import Answer, StrictModel
from app.train.base import Fraction
from app.train.rules import Rule
from app.train.schemas import Costs

__all__ = ["Evaluations", "RepriceAnswer", "RepriceRequest"]


class RepriceRequest(StrictModel):
    """Other costs, another rule or a limit; what is left out stays as it was."""

    costs: Costs | None = None
    """What a decision costs from now on."""
    rule: Rule | None = None
    """The rule that sets the thresholds from now on."""
    max_reject_rate: Annotated[float, Field(ge=0, le=1)] | None = None
    """A limit instead of a rule: the share of rows that may be rejected
    (``bounded-abstention``)."""
    max_error: Fraction | None = None
    """A limit instead of a rule: the error among decided rows, promised with 95 %
    confidence (``bounded-error``)."""
    prevalence: Fraction | None = None
    """The share of +1 in use, where it differs from that of the training rows."""

    @model_validator(mode="after")
    def _one_wish(self) -> Self:
        rules = (self.rule, self.max_reject_rate, self.max_error)
        if all(one is None for one in (self.costs, self.prevalence, *rules)):
            msg = "say what changes: costs, prevalence, a rule or a limit"
            raise ValueError(msg)
        if sum(one is not None for one in rules) > 1:
            msg = "give one of rule, max_reject_rate and max_error"
            raise ValueError(msg)
        return self


class Evaluations(Answer):
    """The same held-out rows at the new costs and share of +1, under either rule."""

    before: dict[str, Any]
    """By the thresholds of the version that was re-priced."""
    after: dict[str, Any]
    """By those of the new version."""


EXAMPLE: dict[str, Any] = {
    "model": {"name": "pima", "version": 2},
    "repriced_from": {"name": "pima", "version": 1},
    "costs": {
        "false_positive": 1.0,
        "false_negative": 10.0,
        "reject_positive": 0.6,
        "reject_negative": 0.3,
    },
    "rule": {"kind": "expected-cost", "method": "roc", "lower": -1.4, "upper": 0.6},
    "thresholds": {"lower": -1.4, "upper": 0.6, "on": "score"},
    "prevalence": None,
    "promise": None,
    "feasible": None,
    "evaluation": {
        "before": {"rows": 120, "expected_cost": 0.52, "reject_rate": 0.22},
        "after": {"rows": 120, "expected_cost": 0.44, "reject_rate": 0.38},
    },
    "warnings": [],
}


class RepriceAnswer(Answer):
    """The new version: what decides now, and what that changes."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    model: VersionRef
    repriced_from: VersionRef
    costs: dict[str, float] | None
    rule: dict[str, Any]
    thresholds: dict[str, Any] | None
    prevalence: float | None
    promise: str | None
    """What a rule with a limit promises, in words; or that it promises nothing."""
    feasible: bool | None
    """Whether the limit can be kept; where not, every row is rejected."""
    evaluation: Evaluations
    warnings: list[str]
