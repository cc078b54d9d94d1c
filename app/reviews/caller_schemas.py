"""What callers bring and fetch: cases, outcomes, verdicts from elsewhere, changes."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import (
    ConfigDict,
    Field,
    StringConstraints,
)

from app.artifacts.model import Label
from app.reviews.intake import REFERENCE
from app.reviews.schemas import AT, CASE, ModelName
from app.strict import Answer, Moment, QueryModel, StrictModel

__all__ = [
    "CaseSent",
    "CasesRequest",
    "Change",
    "ChangesAnswer",
    "ChangesQuery",
    "ExportQuery",
    "ImportAnswer",
    "ImportQuery",
    "OpenedAnswer",
    "OpenedCase",
    "OutcomeSent",
    "OutcomesAnswer",
    "OutcomesQuery",
    "OutcomesRequest",
]


class Change(Answer):
    """Something that the caller should know of a case."""

    position: int
    case: str
    model: str
    reference: str | None
    state: str
    """``decided``, ``expired``, ``withdrawn`` or ``reopened``."""
    decision: str | None
    """"+1" or "-1" where it was answered."""
    label: Label | None
    probability: float | None
    """Of +1, by people and machine together."""
    at: datetime


class ChangesAnswer(Answer):
    """Changes, oldest first."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "changes": [
                        {
                            "position": 17,
                            "case": CASE,
                            "model": "pima",
                            "reference": "visit-4711",
                            "state": "decided",
                            "decision": "+1",
                            "label": "yes",
                            "probability": 0.94,
                            "at": AT,
                        }
                    ],
                    "next": 17,
                }
            ]
        }
    )

    changes: list[Change]
    next: int
    """Give it as ``after``: what comes later is then all that is new."""


class ChangesQuery(QueryModel):
    """Which changes, and how many."""

    after: int = Field(
        default=0,
        ge=0,
        le=2**63 - 1,
        description="Only later changes: `next` of the answer before.",
    )
    limit: int = Field(default=100, ge=1, le=1000, description="Changes at most.")
    model: ModelName | None = Field(
        default=None, description="Only those of this model.", examples=["pima"]
    )


class OutcomesAnswer(Answer):
    """What became of outcomes."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"kept": 2, "repeated": 0, "replaced": 0, "with_case": 1}]
        }
    )

    kept: int
    """New ones."""
    repeated: int
    """Those that were known."""
    replaced: int
    """Those that were known otherwise."""
    with_case: int
    """Of all these, how many references have a case here."""


class OutcomeSent(StrictModel):
    """What a reference turned out to be."""

    reference: Annotated[str, StringConstraints(pattern=f"^{REFERENCE}$")]
    """What the caller calls it, as in POST /predict."""
    label: Label
    """One of the model's two."""


class OutcomesRequest(StrictModel):
    """Late truth."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "model": "pima",
                    "outcomes": [{"reference": "visit-4711", "label": "yes"}],
                }
            ]
        }
    )

    model: ModelName
    outcomes: Annotated[list[OutcomeSent], Field(min_length=1, max_length=100_000)]
    replace: bool = False
    """Whether what contradicts a known outcome takes its place; refused otherwise."""


class OutcomesQuery(QueryModel):
    """What a CSV file cannot say by itself."""

    model: ModelName | None = Field(
        default=None, description="Whose outcomes a CSV file has.", examples=["pima"]
    )
    replace: bool = Field(default=False, description="As in the JSON body.")


class CaseSent(StrictModel):
    """A case of one's own."""

    reference: Annotated[str, StringConstraints(pattern=f"^{REFERENCE}$")]
    """What the caller calls it."""
    features: dict[str, str | float | bool | None] | None = None
    """Every column of the model; needed where the policy keeps features."""
    due_at: Moment | None = None
    """When it is due; by the policy when left out."""


class CasesRequest(StrictModel):
    """A backlog."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "model": "pima",
                    "cases": [
                        {
                            "reference": "visit-1",
                            "features": {"glucose": 120, "bmi": 31},
                        }
                    ],
                }
            ]
        }
    )

    model: Annotated[str, StringConstraints(min_length=1, max_length=202)]
    """``name``, ``name:version`` or ``name@alias``, which scores them."""
    cases: Annotated[list[CaseSent], Field(min_length=1, max_length=10_000)]


class OpenedCase(Answer):
    """Which case a reference has now."""

    reference: str
    case: str


class OpenedAnswer(Answer):
    """The cases of a backlog, in order."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"cases": [{"reference": "visit-1", "case": CASE}]}]
        }
    )

    cases: list[OpenedCase]
    """A reference that had an open case keeps that one."""


class ExportQuery(QueryModel):
    """Whose open cases are taken home, and how."""

    model: ModelName = Field(description="Whose.", examples=["pima"])
    format: Literal["csv", "label-studio"] = Field(
        default="csv", description="A CSV file, or tasks of Label Studio."
    )
    limit: int = Field(
        default=1000, ge=1, le=100_000, description="Cases at most, oldest first."
    )


class ImportQuery(QueryModel):
    """Whose verdicts are brought back."""

    model: ModelName = Field(description="Whose.", examples=["pima"])


class ImportAnswer(Answer):
    """What became of verdicts that were brought back."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"saved": 40, "repeated": 0, "closed": 2}]}
    )

    saved: int
    repeated: int
    """Those that the same person had given before."""
    closed: int
    """Those on cases that were answered or withdrawn meanwhile; they are not kept."""
