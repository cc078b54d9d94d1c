"""What is told of people and prices, and of data sets made of verdicts."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from app.artifacts.model import Label
from app.reprice.schemas import PreviewAnswer
from app.strict import Answer, StrictModel, with_examples

__all__ = [
    "CalledRight",
    "Minutes",
    "Overturned",
    "PeopleAnswer",
    "PriceRequest",
    "PricesAnswer",
    "Queue",
    "ReportAnswer",
    "ReviewDataset",
    "ReviewDatasetRequest",
    "Reviewer",
    "Share",
    "StatedDoubt",
]

Price = Annotated[float, Field(ge=0)]

PEOPLE: dict[str, Any] = {
    "sensitivity": 0.85,
    "specificity": 0.92,
    "sensitivity_interval": [0.8, 0.89],
    "specificity_interval": [0.9, 0.94],
    "positives": 610.2,
    "negatives": 1480.7,
    "machine_offset": 0.04,
    "machine_slope": 0.97,
}
MINUTES: dict[str, Any] = {
    "mean": 3.9,
    "median": 3.2,
    "positive": 5.0,
    "negative": 3.1,
}
ERRORS: dict[str, Any] = {"false_positive": 1.0, "false_negative": 5.0}


class Queue(Answer):
    """What waits."""

    cases: dict[str, int]
    """By state."""
    opinions_wanted: int
    oldest: datetime | None
    """When the longest waiting one was opened."""
    overdue: int


class Minutes(Answer):
    """What a verdict takes, in minutes."""

    mean: float
    median: float
    positive: float
    """Mean on cases that are likely +1."""
    negative: float


class Share(Answer):
    """A share, with its 95 % interval."""

    rows: int
    share: float
    interval: tuple[float, float]


class PeopleAnswer(Answer):
    """How often people are right on cases that the machine rejected."""

    sensitivity: float
    """Share of the true +1 that they call so."""
    specificity: float
    """Share of the true -1 that they call so."""
    sensitivity_interval: tuple[float, float]
    specificity_interval: tuple[float, float]
    positives: float
    """Verdicts on true +1, in expectation."""
    negatives: float
    machine_offset: float
    """What is added to the machine's log-odds, after ``machine_slope``, so that they
    agree with second opinions: far from 0 where the world has changed. 0, and a slope
    of 1, also where that was not measured: by outcomes, or with under 20 such cases."""
    machine_slope: float


class Overturned(Answer):
    """Cases that people answered otherwise than the machine would have."""

    cases: int
    overturned: int


class CalledRight(Answer):
    """Verdicts of about one stated certainty whose truth is known."""

    sure: float
    """The mean of what was stated."""
    right: Share


class StatedDoubt(Answer):
    """What a person's certainty is worth: the log-odds that are meant by those stated.

    meant = offset + slope * stated; whoever means what they say has 0 and 1, and a
    slope below 1 is overconfidence.
    """

    verdicts: int
    """Those whose truth is known."""
    offset: float
    slope: float
    offset_interval: tuple[float, float]
    slope_interval: tuple[float, float]
    cells: list[CalledRight]
    """How often what was so sure was right; none of fewer than twenty verdicts."""


class Reviewer(Answer):
    """One person; of fewer than twenty verdicts only their number is told."""

    person: str
    """Their id; GET /people has the name."""
    verdicts: int
    minutes: float | None
    """Median of a verdict."""
    agreement: Share | None
    """With others on the same cases."""
    by_outcomes: PeopleAnswer | None
    doubt: StatedDoubt | None


class ReportAnswer(Answer):
    """How the people behind a model do; null of fewer than twenty verdicts."""

    model_config = with_examples(
        {
            "model": "pima",
            "queue": {
                "cases": {"waiting": 3, "decided": 2091},
                "opinions_wanted": 4,
                "oldest": "2026-03-02T09:30:01.580000Z",
                "overdue": 0,
            },
            "verdicts": 2400,
            "minutes": MINUTES,
            "agreement": None,
            "estimated": PEOPLE,
            "by_outcomes": None,
            "overturned": {"audit": {"cases": 210, "overturned": 9}},
            "reviewers": [],
        }
    )

    model: str
    queue: Queue
    verdicts: int
    minutes: Minutes | None
    agreement: Share | None
    estimated: PeopleAnswer | None
    """By verdicts and the machine's probabilities, without truth; optimistic where
    people err together. Null where people see the score first (show_score always)."""
    by_outcomes: PeopleAnswer | None
    """By late truth: the check on the estimate."""
    overturned: dict[str, Overturned]
    """By the case's reason; of audits, this is the machine's error."""
    reviewers: list[Reviewer]


class PriceRequest(StrictModel):
    """How the prices of a reject are to be proposed."""

    model_config = with_examples({"minute_price": 0.04}, {"by": "outcomes"})

    minute_price: Price | None = None
    """What a minute costs; that of the policy where it is left out."""
    delay_positive: Price = 0.0
    """What waiting for a person costs on a true +1, beside the person's time."""
    delay_negative: Price = 0.0
    version: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    """Whose costs and scores; the newest where it is left out."""
    by: Literal["estimate", "outcomes"] = "estimate"
    """Whether people are measured without truth, or by late outcomes alone."""


class PricesAnswer(Answer):
    """Proposed prices, to be sent to reprice as they are."""

    model_config = with_examples(
        {
            "model": "pima",
            "version": 2,
            "present": {
                **ERRORS,
                "reject_positive": 0.2,
                "reject_negative": 0.1,
            },
            "costs": {
                **ERRORS,
                "reject_positive": 0.95,
                "reject_negative": 0.2,
            },
            "intervals": {
                "reject_positive": [0.75, 1.2],
                "reject_negative": [0.18, 0.22],
            },
            "minute_price": 0.04,
            "minutes": MINUTES,
            "people": PEOPLE,
            "pays": True,
            "note": None,
            "preview": None,
        }
    )

    model: str
    version: int
    present: dict[str, float]
    costs: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    """Of the two reject prices, with 95 % confidence in how often people are right."""
    minute_price: float
    minutes: Minutes
    people: PeopleAnswer
    pays: bool
    """Whether any case is worth asking a person about at these prices."""
    note: str | None
    preview: PreviewAnswer | None
    """What the prices would change; null where asking does not pay, or the version
    cannot be re-priced by Chow's rule."""


class ReviewDatasetRequest(StrictModel):
    """Which cases are to become a data set."""

    model_config = with_examples({}, {"alone": True})

    name: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    alone: bool = False
    """Take the rejects alone where nothing else was audited. A model trained on them
    learns nothing of the cases that are decided without people."""


class ReviewDataset(Answer):
    """A data set of verdicts, and how to train on it."""

    model_config = with_examples(
        {
            "id": "5b0c1d9e-7d0a-4c8e-9b55-0a7d3f3f7a11",
            "rows": 2301,
            "rejects": 2091,
            "audits": 210,
            "effective_rows": 233.5,
            "labels": {"positive": "yes", "negative": "no"},
            "train": {"groups": "case"},
            "notes": [],
        }
    )

    id: str
    rows: int
    rejects: int
    audits: int
    effective_rows: float
    """(sum of weights)^2 / sum of squared weights: what the rows are worth."""
    labels: dict[str, Label]
    """``positive`` and ``negative``."""
    train: dict[str, Any]
    """Members of POST /train: data, target, groups and order."""
    notes: list[str]
