"""Cases as a lead sees them, closes and erases them."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Field,
)

from app.artifacts.model import Label
from app.reviews.policy import AUDIT, BROUGHT, REASONS
from app.reviews.schemas import AT, CASE, ModelName, Note
from app.strict import Answer, QueryModel, StrictModel

__all__ = [
    "CaseCounts",
    "CaseDetail",
    "CaseEntry",
    "CasesAnswer",
    "CasesQuery",
    "DatasetMade",
    "ErasedAnswer",
    "ErasureQuery",
    "EventEntry",
    "OpinionEntry",
    "Reassignment",
    "Remark",
    "VerdictEntry",
]

ENTRY: dict[str, Any] = {
    "id": CASE,
    "model": "pima",
    "version": 1,
    "reference": "visit-4711",
    "reason": "ambiguous",
    "state": "waiting",
    "decision": "reject",
    "probability": 0.4,
    "would_be": "no",
    "saving": 0.2,
    "inclusion": 1.0,
    "opened_at": AT,
    "due_at": AT,
    "closed_at": None,
    "label": None,
    "answer_probability": None,
    "truth": None,
    "erased_at": None,
}
Reason = Literal[
    "ambiguous",
    "outlier",
    "unseen_category",
    "missing_value",
    "missing_price",
    "audit",
    "brought",
]
assert set(Reason.__args__) == {*REASONS, AUDIT, BROUGHT}  # type: ignore[attr-defined]  # noqa: S101
Reference = Field(
    default=None,
    min_length=1,
    max_length=200,
    pattern=r"^[^\x00]*$",
    description="What the caller calls it.",
    examples=["visit-4711"],
)


class CaseEntry(Answer):
    """A case in a list."""

    model_config = ConfigDict(json_schema_extra={"examples": [ENTRY]})

    id: str
    model: str
    version: int | None
    reference: str | None
    reason: str
    """That of the reject; ``audit`` of an accepted row, ``brought`` by a caller."""
    state: str
    """``waiting``, ``disputed``, ``reopened``; ``decided``, ``expired``,
    ``withdrawn``."""
    decision: str | None
    """What the machine answered."""
    probability: float | None
    """Of +1, by the machine."""
    would_be: Label | None
    """The label of its forced answer."""
    saving: float
    """What asking a person saves over the cheaper answer."""
    inclusion: float
    """Probability with which such a row becomes a case; below 1 for audits."""
    opened_at: datetime
    due_at: datetime | None
    closed_at: datetime | None
    label: Label | None
    """What it was answered."""
    answer_probability: float | None
    """Of +1, by people and machine together."""
    truth: Label | None
    """What it turned out to be."""
    erased_at: datetime | None
    """When its columns, reference and notes went."""


class VerdictEntry(Answer):
    """A verdict in the history of a case."""

    id: str
    person: str
    label: Label | None
    sure: float
    note: str | None
    seconds: float | None
    """From the claim to the verdict."""
    at: datetime
    stands: bool


class OpinionEntry(Answer):
    """An opinion that is wanted, or was given."""

    state: str
    """``wanted``, ``given``, or ``set_aside`` by reopening."""
    person: str | None
    """Who gave it, or holds it until ``expires_at``."""
    expires_at: datetime | None


class EventEntry(Answer):
    """Something that happened to a case."""

    kind: str
    person: str | None
    note: str | None
    at: datetime


class CaseDetail(CaseEntry):
    """A case with all that is kept of it."""

    score: float | None
    costs: dict[str, float] | None
    features: dict[str, Any] | None
    opinions: list[OpinionEntry]
    verdicts: list[VerdictEntry]
    events: list[EventEntry]


class CaseCounts(Answer):
    """How many cases are open."""

    waiting: int
    disputed: int
    reopened: int
    overdue: int
    """Of these, how many are past their due time."""


class CasesAnswer(Answer):
    """A page of cases, and how many are open in all."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "cases": [ENTRY],
                    "next": None,
                    "counts": {
                        "waiting": 1,
                        "disputed": 0,
                        "reopened": 0,
                        "overdue": 0,
                    },
                }
            ]
        }
    )

    cases: list[CaseEntry]
    next: str | None
    """Give it as ``after`` for the next page; null on the last."""
    counts: CaseCounts


class CasesQuery(QueryModel):
    """Which cases, and how many."""

    model: ModelName | None = Field(
        default=None, description="Only those of this model.", examples=["pima"]
    )
    state: (
        Literal[
            "open",
            "waiting",
            "disputed",
            "reopened",
            "decided",
            "expired",
            "withdrawn",
        ]
        | None
    ) = Field(default=None, description="Only those; open is the first three.")
    reason: Reason | None = Field(default=None, description="Only those.")
    overdue: bool = Field(default=False, description="Only open ones past their time.")
    reference: str | None = Reference
    person: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        pattern=r"^[^\x00]*$",
        description="Only those that this person holds or gave a verdict on.",
        examples=["Anna"],
    )
    sort: Literal["opened_at", "-opened_at", "due_at", "-saving"] = Field(
        default="-opened_at", description="By what they are sorted; - is downwards."
    )
    limit: int = Field(default=50, ge=1, le=200, description="Cases on a page.")
    after: str | None = Field(
        default=None,
        pattern="^[0-9a-f-]{36}$",
        description="Only cases after this one: `next` of the page before.",
    )


class Remark(StrictModel):
    """Why."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"note": "by phone"}]})

    note: Note | None = None
    """Free text, up to 2,000 characters; it is deleted with the case's columns."""


class Reassignment(Remark):
    """Who is to look at a case, and why."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"person": "Anna", "note": "knows the town"}]}
    )

    person: Annotated[str, Field(min_length=1, max_length=200)] | None
    """The name of somebody who may review; null: whoever comes next."""


class ErasureQuery(QueryModel):
    """Whose cases are erased."""

    reference: str = Field(
        min_length=1,
        max_length=200,
        pattern=r"^[^\x00]*$",
        description="What the caller calls them.",
        examples=["visit-4711"],
    )
    model: ModelName | None = Field(
        default=None, description="Only those of this model.", examples=["pima"]
    )


class DatasetMade(Answer):
    """A data set that has rows of erased cases."""

    id: str
    name: str


class ErasedAnswer(Answer):
    """What was erased, and where more may be."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"cases": [CASE], "outcomes": 1, "datasets": []}]
        }
    )

    cases: list[str]
    """Cases without columns, reference and notes now; open ones are withdrawn."""
    outcomes: int
    """Outcomes of the reference that were deleted."""
    datasets: list[DatasetMade]
    """Data sets that were made of these cases: DELETE /datasets/{id} takes them."""
