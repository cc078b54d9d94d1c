"""The body of a re-pricing, and its answer."""

from typing import Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from app.models.schemas import VersionRef
from app.strict import Answer, StrictModel, with_examples
from app.train.base import Fraction, Share
from app.train.rules import Rule
from app.train.schemas import Costs

__all__ = [
    "CurvesAnswer",
    "Evaluations",
    "PreviewAnswer",
    "RepriceAnswer",
    "RepriceRequest",
]


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
    prevalence: Share | None = None
    """The share of +1 in use, where it differs from that of the training rows."""

    @field_validator("costs")
    @classmethod
    def _four_numbers(cls, costs: Costs | None) -> Costs | None:
        if costs is not None and costs.columns:
            msg = (
                "four numbers are needed: thresholds are chosen at the same prices for"
                " all rows; where a price follows a column, train with it"
            )
            raise ValueError(msg)
        return costs

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


class PreviewAnswer(Answer):
    """What would decide from now on, and what that would change."""

    model_config = with_examples({k: v for k, v in EXAMPLE.items() if k != "model"})

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


class RepriceAnswer(PreviewAnswer):
    """The new version: what decides now, and what that changes."""

    model_config = with_examples(EXAMPLE)

    model: VersionRef


class Scores(Answer):
    """How many held-out rows of each class have a score in each cell."""

    on: str
    """What the thresholds are on: ``score``, ``probability``, or ``reject-function``
    (at or below 0 a case goes to people)."""
    edges: list[float]
    """The cells' edges, ascending, one more than cells."""
    positive: list[float]
    negative: list[float]
    lower: float | None
    upper: float | None


class ReliabilityCurve(Answer):
    """What was claimed and what was found, in bins of equally many rows."""

    probability: list[float]
    share_positive: list[float]
    rows: list[float]


class RiskPoint(Answer):
    """What the version's own rule does."""

    coverage: float
    risk: float | None
    """Null where every row is rejected."""


class RiskCurve(Answer):
    """The error among the decided rows, at each share of rows that is decided."""

    coverage: list[float]
    risk: list[float]
    operating_point: RiskPoint


class CostPoint(Answer):
    """What the version's own rule does."""

    reject_rate: float
    cost: float


class CostCurve(Answer):
    """The mean cost over all rows, at each share of rows that goes to people."""

    reject_rate: list[float]
    cost: list[float]
    operating_point: CostPoint


class CurvesAnswer(Answer):
    """Curves of a version on its held-out rows, none of which can be told from them."""

    model_config = with_examples(
        {
            "model": {"name": "pima", "version": 1},
            "rows": 120,
            "scores": {
                "on": "score",
                "edges": [-2.0, 0.0, 2.0],
                "positive": [9.0, 33.0],
                "negative": [61.0, 17.0],
                "lower": -1.4,
                "upper": 0.6,
            },
            "calibration": {
                "probability": [0.2, 0.8],
                "share_positive": [0.18, 0.77],
                "rows": [60.0, 60.0],
            },
            "risk_coverage": {
                "coverage": [0.5, 1.0],
                "risk": [0.04, 0.2],
                "operating_point": {"coverage": 0.7, "risk": 0.09},
            },
            "cost_reject": {
                "reject_rate": [1.0, 0.0],
                "cost": [0.4, 0.5],
                "operating_point": {"reject_rate": 0.3, "cost": 0.31},
            },
        }
    )

    model: VersionRef
    rows: int
    """Held-out rows; guards and weights counted as in ``evaluation``."""
    scores: Scores
    calibration: ReliabilityCurve
    risk_coverage: RiskCurve
    cost_reject: CostCurve | None
    """Null without costs."""
