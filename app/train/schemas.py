"""The body of POST /train.

The rows of inline data are declared here for the documentation and read elsewhere
(``app.train.parsing``): a table of a million cells is checked column by column,
not cell by cell through a model.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from app.choices import ID, NAME
from app.features.values import category
from app.strict import StrictModel
from app.train.base import ColumnName, Fraction, Price, Share
from app.train.rules import Rule
from app.train.search import Search
from app.train.trainers.registry import Trainer

__all__ = [
    "ColumnPrice",
    "Costs",
    "DatasetData",
    "Evaluation",
    "Guards",
    "InlineData",
    "Target",
    "TrainRequest",
]

Cell = float | str | bool | None
Marks = Annotated[list[str | int | float], Field(max_length=50)]
ModelName = Annotated[
    str,
    Field(
        pattern=NAME,
        description="Letters, digits, dot, underscore and hyphen; at most 64",
        examples=["pima"],
    ),
]


class ColumnPrice(StrictModel):
    """A price that follows a column of numbers: ``times`` what the row has there."""

    column: ColumnName
    times: Price = 1.0


def _form(price: object) -> str:
    # Pydantic asks with a mapping when it reads a price, with a ColumnPrice when it
    # writes one. "#" marks a tag, which is no key of a body.
    return "#column" if isinstance(price, Mapping | ColumnPrice) else "#number"


AnyPrice = Annotated[
    Annotated[Price, Tag("#number")] | Annotated[ColumnPrice, Tag("#column")],
    Discriminator(_form),
]


class Costs(StrictModel):
    """What a decision costs; a correct one costs nothing.

    From 1e-12 to 1e12: prices are multiplied and compared. A price may follow a column
    of numbers, `{"column": "amount", "times": 0.8}`: each row is then decided, and
    counted, at its own.
    """

    false_positive: AnyPrice
    """Calling a true -1 "+1"."""
    false_negative: AnyPrice
    """Calling a true +1 "-1"."""
    reject_positive: AnyPrice
    """Rejecting a true +1."""
    reject_negative: AnyPrice
    """Rejecting a true -1."""

    @property
    def columns(self) -> dict[str, str]:
        """Return the columns that prices follow, by the names of the prices."""
        return {
            name: price.column for name, price in self if isinstance(price, ColumnPrice)
        }


class InlineData(StrictModel):
    """A table in the request itself: numbers, strings, booleans, null = missing."""

    kind: Literal["inline"]
    columns: Annotated[list[ColumnName], Field(min_length=1, max_length=10_000)]
    rows: list[list[Cell]]
    """One list a row, as wide as ``columns``."""
    missing: Marks | None = None
    """Values that mean "no value" beside null and the blank text, such as -999 or
    "n.a."; the model learns them. Where none are named, it takes the usual marks of
    text files for such, but for those that are categories here."""


class DatasetData(StrictModel):
    """A table that was uploaded by POST /datasets."""

    kind: Literal["dataset"]
    id: Annotated[str, Field(pattern=ID)]
    columns: Annotated[list[ColumnName], Field(min_length=1)] | None = None
    """Only these columns, the target among them; all where none is named."""
    missing: Marks = Field(default_factory=list)
    """Values that mean "no value" beside those of the upload."""

    @field_validator("columns")
    @classmethod
    def _distinct(cls, value: list[str] | None) -> list[str] | None:
        if value is not None and len(set(value)) < len(value):
            msg = "a column is named twice"
            raise ValueError(msg)
        return value


class Labels(StrictModel):
    """What the user calls +1 and -1."""

    positive: int | float | str | bool
    negative: int | float | str | bool

    @model_validator(mode="after")
    def _two(self) -> Self:
        if category(self.positive) == category(self.negative):
            msg = "positive and negative are two labels"
            raise ValueError(msg)
        return self


class Target(StrictModel):
    """The column to predict, and how to read it."""

    column: ColumnName
    positive: int | float | str | bool | None = None
    """The label that is +1; the column must hold exactly one other label. Labels are
    compared as categories are: 1 and "1" are one, "yes " and "yes" too."""
    probability: bool = False
    """The column holds probabilities of +1. The ``p-svm`` learns them as they are; for
    the others a doubtful row counts as both labels, each with its probability."""
    labels: Labels | None = None
    """What +1 and -1 are called where the column holds probabilities; without them
    they are 1 and -1."""
    weight: ColumnName | None = None
    """A column of non-negative row weights; it is no feature."""
    label_precision: ColumnName | None = None
    """A column of each row's own ``eta``, for the ``p-svm``: how far the prediction may
    be from the row's label or probability at no cost, from 1e-6 to 0.49; it is no
    feature."""

    @model_validator(mode="after")
    def _one_reading(self) -> Self:
        if self.probability == (self.positive is not None):
            msg = 'give either "positive", the label that is +1, or "probability": true'
            raise ValueError(msg)
        if self.labels is not None and not self.probability:
            msg = "labels go with probability: the column holds the labels otherwise"
            raise ValueError(msg)
        return self


class Evaluation(StrictModel):
    """Which rows the figures of the version come from."""

    holdout: Annotated[float, Field(ge=0, lt=1)] = 0.2
    """Share of all rows held out; 0 switches the evaluation off."""
    calibration: Fraction = 0.25
    """Share of all rows kept for a rule with a promise."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    order_by: ColumnName | None = None
    """A column of dates or numbers: the past trains, the future evaluates. Scores for
    thresholds and probabilities, too, come from models of earlier rows."""


class Guards(StrictModel):
    """Rows that are rejected whatever their score, for a person to decide.

    Those that need no tuning are on where nothing is said, but under ``bounded-cost``,
    whose promise is one on all cases.
    """

    outlier: bool = False
    """Farther from each of at most 1,000 reference rows of training than 95 % of other
    training rows are."""
    unseen_category: bool | None = None
    """A category that training never saw; false decides such a row as if the column
    were missing."""
    missing_value: bool | Literal["unseen"] | None = None
    """A value missing in a column that training always had (`"unseen"`, where nothing
    is said); true: any missing value; false: none, such a row is decided."""


def _without_default(schema: dict[str, Any]) -> None:
    """Leave out the default: null stands for none here, and may not be sent."""
    schema.pop("default", None)


class TrainRequest(StrictModel):
    """What to train, on which rows, at which costs."""

    model: ModelName
    search: Search | None = None
    trainer: Trainer = Field(
        default=None,
        validate_default=True,
        description="May be left out where `search` names candidates.",
        json_schema_extra=_without_default,
    )
    costs: Costs | None = None
    rule: Rule | None = None
    """Where none is named: `chow` with costs, so that each decision is the cheapest at
    the probability that is shown; `mutual-information` without."""
    data: Annotated[InlineData | DatasetData, Field(discriminator="kind")]
    target: Target
    evaluation: Evaluation = Evaluation()
    groups: ColumnName | None = None
    """A column whose equal values stay together in every split; it is no feature."""
    guards: Guards = Guards()
    refit: bool = False
    """Serve a model fitted on all rows, the evaluated one's figures beside it."""
    prevalence: Share | None = None
    """The share of +1 in use, where it differs from that of the rows; from 1e-6, which
    is one row in a million, to the same short of 1."""
    priority: Annotated[int, Field(ge=-100, le=100)] = 0
    """Jobs of a higher priority are begun first, among equals the oldest."""
    max_seconds: Annotated[int, Field(ge=1, le=2_592_000)] | None = None
    """Longest that one attempt at this training may run; then the job fails."""

    @field_validator("trainer", mode="before")
    @classmethod
    def _chosen_by_search(cls, value: object, info: ValidationInfo) -> object:
        """Where candidates are named, no trainer means: the best of them."""
        if value is not None:
            return value
        if "search" not in info.data:  # it has a fault, which is reported
            return {"kind": "auto"}
        search = info.data["search"]
        if search is not None and search.candidates is not None:
            return {"kind": "auto"}
        kind, detail = "missing", "Field required"
        raise PydanticCustomError(kind, detail)
