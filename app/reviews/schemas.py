"""What is sent about reviews, and what is answered."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints

from app.artifacts.model import Label
from app.choices import NAME, TEXT, shape
from app.reviews.policy import Policy
from app.strict import Answer, QueryModel, StrictModel

__all__ = [
    "ClaimAnswer",
    "ClaimRequest",
    "ClaimedCase",
    "GiveBack",
    "GiveBackQuery",
    "Heartbeat",
    "Lease",
    "Machine",
    "OpenCasesQuery",
    "PolicyAnswer",
    "PolicyRequest",
    "ShownLabels",
    "VerdictAnswer",
    "VerdictRequest",
    "VerdictsAnswer",
    "VerdictsQuery",
]

CASE = "3c9d1e6a-8f0b-4d57-9a64-1f0b6f3c1b33"
CLAIM = "7d1a5e0c-2f0b-4d57-9a64-5f0b6f3c1b44"
AT = "2026-03-02T09:30:01.580000Z"
ModelName = Annotated[str, StringConstraints(pattern=NAME)]
_TOKEN = shape(r"^[A-Za-z0-9_-]{1,64}$", "the token that came with the claim")
Token = Annotated[str, StringConstraints(pattern=_TOKEN)]
Note = Annotated[str, StringConstraints(pattern=TEXT, max_length=2000)]


class PolicyRequest(Policy):
    """A policy to be set."""

    revision: int | None = Field(default=None, ge=0, le=2**31 - 1)
    """The revision that it was made from, 0 for none; another one is then 409."""


class PolicyAnswer(Policy):
    """A policy as it is kept."""

    model: str
    revision: int
    """Counts the changes; give it back with the next one."""
    updated_at: datetime


class OpenCasesQuery(QueryModel):
    """What happens to cases that are still open."""

    open_cases: Literal["keep", "withdraw"] = Field(
        default="keep", description="withdraw closes them; while they are kept, 409."
    )


class ClaimRequest(StrictModel):
    """Which case to take."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"model": "pima"}]})

    model: ModelName | None = None
    """Only cases of this model; of any when left out."""


class Heartbeat(StrictModel):
    """A sign of life."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"token": "a-token"}]})

    token: Token
    """That of the claim."""


class GiveBack(Heartbeat):
    """Who lets go, and why."""

    reason: Note | None = None
    """Why it is skipped: the same person does not get the case again then."""


class GiveBackQuery(QueryModel):
    """The same, for those who send no body with DELETE."""

    token: Token | None = Field(default=None, description="That of the claim.")
    reason: Note | None = Field(
        default=None, description="Why it is skipped.", examples=["blurred"]
    )


class VerdictsQuery(QueryModel):
    """How many verdicts."""

    limit: int = Field(default=20, ge=1, le=200, description="Verdicts at most.")


class ShownLabels(Answer):
    """What the user calls +1 and -1."""

    positive: Label
    negative: Label


class Machine(Answer):
    """What the machine had to say of a case."""

    decision: str | None
    reason: str
    """That of the reject; ``audit`` of an accepted row, ``brought`` by a caller."""
    score: float | None
    probability: float | None
    """Of +1."""
    would_be: Label | None
    """The label of its forced answer."""
    version: int | None


class ClaimedCase(Answer):
    """A case as its reviewer sees it."""

    id: str
    model: str
    reason: str
    """Why it is here; before the verdict ``ambiguous`` also of an audit."""
    due_at: datetime | None
    features: dict[str, Any] | None
    """Its columns but for the hidden ones; null where only references are kept."""
    reference: str | None
    """What the caller calls it; only where it has no features here."""
    labels: ShownLabels
    machine: Machine | None
    """Null before the verdict, unless the policy shows it always."""


class ClaimAnswer(Answer):
    """A claim: give a verdict before it expires, or a sign of life."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": CLAIM,
                    "token": "a-token",
                    "expires_at": AT,
                    "case": {
                        "id": CASE,
                        "model": "pima",
                        "reason": "ambiguous",
                        "due_at": AT,
                        "features": {"glucose": 148.0},
                        "reference": None,
                        "labels": {"positive": "yes", "negative": "no"},
                        "machine": None,
                    },
                }
            ]
        }
    )

    id: str
    token: str
    """Proves that the claim is yours; it changes with every claim."""
    expires_at: datetime
    case: ClaimedCase


class Lease(Answer):
    """Until when a claim is held."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"id": CLAIM, "expires_at": AT}]}
    )

    id: str
    expires_at: datetime


class VerdictRequest(StrictModel):
    """What a case is, and how sure that is."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"token": "a-token", "label": "yes", "sure": 0.9}]
        }
    )

    token: Token
    """That of the claim."""
    label: Label
    """One of the case's two."""
    sure: float = Field(default=1.0, ge=0.5, le=1)
    """From .5 (no idea) to 1 (certain)."""
    note: Note | None = None
    """Free text, up to 2,000 characters; it is deleted with the case's columns."""


VERDICT: dict[str, Any] = {
    "id": CLAIM,
    "case": CASE,
    "label": "yes",
    "sure": 0.9,
    "note": None,
    "at": AT,
    "stands": True,
    "undo_until": AT,
    "machine": None,
}


class VerdictAnswer(Answer):
    """A verdict as its giver sees it."""

    model_config = ConfigDict(json_schema_extra={"examples": [VERDICT]})

    id: str
    case: str
    label: Label | None
    sure: float
    note: str | None
    at: datetime
    stands: bool
    """False once it was taken back, or the case was reopened."""
    undo_until: datetime
    """Until when it may be taken back, unless its answer was fetched before."""
    machine: Machine | None
    """Null where the policy never shows it."""


class VerdictsAnswer(Answer):
    """One's latest verdicts, newest first."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"verdicts": [VERDICT]}]})

    verdicts: list[VerdictAnswer]
