"""How the rejects of a model are reviewed: what a lead says, and what predicting needs.

``Policy`` is what is sent and kept; ``Terms`` is the part of it that an answer to
/predict depends on, with the key of the draw of audits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from app.strict import StrictModel, with_examples

__all__ = ["AUDIT", "BROUGHT", "Policy", "Terms", "limit_of", "terms_of"]

AUDIT, BROUGHT = "audit", "brought"
"""Reasons of cases that are no rejects: drawn of the accepted, or sent by a caller."""

Reason = Literal[
    "ambiguous", "outlier", "unseen_category", "missing_value", "missing_price"
]
REASONS: list[Reason] = list(get_args(Reason))
Share = Annotated[float, Field(ge=0, le=1)]
Minutes = Annotated[int, Field(ge=1, le=525_600)]
Days = Annotated[int, Field(ge=1, le=36_500)]


class Columns(StrictModel):
    """Which columns of a case its reviewers see."""

    hide: list[str] = Field(default=[], max_length=10_000)
    """Columns of the model that are not shown; they are kept for training."""


class Audit(StrictModel):
    """Which share of the accepted rows becomes a case, by decision.

    A promise on the errors among the accepted, and training on verdicts, need rows that
    the machine was sure of: a known share of them, that nobody can tell or steer.
    """

    model_config = with_examples({"+1": 0.02})

    plus: Share = Field(default=0.0, alias="+1")
    """Of the rows decided +1."""
    minus: Share = Field(default=0.0, alias="-1")
    """Of the rows decided -1."""


class SecondOpinion(StrictModel):
    """When a case is asked of more than one person; never of one twice."""

    share: Share = 0.15
    """Share of the cases that two people see from the start."""
    when_less_sure_than: Annotated[float, Field(ge=0.5, le=1)] = 0.7
    """A verdict that is less sure wants a second one; .5 switches it off."""
    when_it_contradicts: bool = True
    """An audited row that is called otherwise than the machine had decided wants a
    second verdict: few accepted rows are wrong, so most of these are people's slips."""
    third_on_disagreement: bool = True
    """Whether a third person is asked where two differ."""


class Retention(StrictModel):
    """How many days things are kept after a case is closed."""

    features: Days = 90
    """Columns, reference and notes."""
    verdicts: Days = 730
    """The rest of the case with its verdicts, and outcomes; at least as long."""

    @model_validator(mode="after")
    def _longer(self) -> Self:
        if self.verdicts < self.features:
            msg = "verdicts are kept at least as long as features"
            raise ValueError(msg)
        return self


class Policy(StrictModel):
    """How the rejects of a model are reviewed. What is left out has its default."""

    model_config = with_examples(
        {
            "columns": {"hide": ["name"]},
            "audit": {"+1": 0.02, "-1": 0.03},
            "order": "due",
            "due_minutes": 240,
            "retain_days": {"features": 90, "verdicts": 730},
        }
    )

    enabled: bool = True
    """Whether rejects become cases. False lets people finish what waits."""
    keep: Literal["features", "reference"] = "features"
    """``reference`` keeps no columns: the reviewer opens the caller's own system."""
    columns: Columns = Columns()
    send: Annotated[list[Reason], Field(min_length=1, max_length=5)] = REASONS
    """Which rejects become cases, by their reason."""
    audit: Audit | None = Audit.model_validate({"+1": 0.03, "-1": 0.03})
    order: Literal["saving", "due", "age"] = "saving"
    """Which case is next: what a person saves, when it is due, or how old it is."""
    due_minutes: Minutes | None = 240
    """When a case is due, counted from its opening; null: never."""
    when_due: Literal["keep", "would_be"] = "keep"
    """A case that is due stays, or is closed with the machine's forced answer."""
    lease_seconds: Annotated[int, Field(ge=10, le=86_400)] = 600
    """How long a claim is held without a sign of life."""
    second_opinion: SecondOpinion | None = SecondOpinion()
    show_score: Literal["after_verdict", "always", "never"] = "after_verdict"
    """When a reviewer learns what the machine had said."""
    minute_price: Annotated[float, Field(ge=0)] | None = None
    """What a minute of a reviewer costs, in the unit of the model's costs."""
    undo_seconds: Annotated[int, Field(ge=0, le=86_400)] = 900
    """How long a reviewer may take a verdict back, unless its answer was fetched."""
    retain_days: Retention = Retention()
    on_failure: Literal["refuse", "answer"] = "refuse"
    """What /predict does where a case cannot be stored: 503 or 507, or answer without
    it."""

    @model_validator(mode="after")
    def _something_is_due(self) -> Self:
        if self.due_minutes is None and self.order == "due":
            msg = "order due needs due_minutes"
            raise ValueError(msg)
        if self.due_minutes is None and self.when_due == "would_be":
            msg = "when_due would_be needs due_minutes"
            raise ValueError(msg)
        return self


@dataclass(frozen=True, slots=True)
class Terms:
    """What an answer to /predict needs of a policy that is on."""

    model_id: int
    keep_features: bool
    send: frozenset[str]
    audit: Mapping[str, float]
    """Rates by decision, those above 0."""
    second_share: float
    due_minutes: int | None
    refuse: bool
    """Whether a reject without its case is no answer."""
    secret: bytes
    limits: Mapping[str, bytes] = field(init=False)
    """What the draw of an audited row is below, by decision."""

    def __post_init__(self) -> None:
        limits = {decision: limit_of(rate) for decision, rate in self.audit.items()}
        object.__setattr__(self, "limits", limits)


def limit_of(rate: float) -> bytes:
    """Return what a share ``rate`` of all draws is below, as bytes are ordered."""
    return int(rate * 2**256).to_bytes(32) if rate < 1 else b"\xff" * 33


@lru_cache(maxsize=256)  # asked for with every look at which version a name means
def terms_of(model_id: int, policy: str, secret: str) -> Terms | None:
    """Return the terms of a kept policy, as JSON; None while it is off."""
    kept = Policy.model_validate_json(policy)
    if not kept.enabled:
        return None
    rates = kept.audit or Audit()
    second = kept.second_opinion
    return Terms(
        model_id=model_id,
        keep_features=kept.keep == "features",
        send=frozenset(kept.send),
        audit={
            decision: rate
            for decision, rate in (("+1", rates.plus), ("-1", rates.minus))
            if rate > 0
        },
        second_share=0.0 if second is None else second.share,
        due_minutes=kept.due_minutes,
        refuse=kept.on_failure == "refuse",
        secret=bytes.fromhex(secret),
    )
