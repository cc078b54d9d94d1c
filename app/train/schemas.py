"""The body of POST /train.

The rows of inline data are declared here for the documentation and read elsewhere
(``app.train.parsing``): a table of a million cells is checked column by column,
not cell by cell through a model.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from app.strict import StrictModel
from app.train.base import ColumnName, Fraction, Positive
from app.train.rules import Rule
from app.train.search import AnyTrainer, Search

__all__ = [
    "Costs",
    "DatasetData",
    "Evaluation",
    "Guards",
    "InlineData",
    "Target",
    "TrainRequest",
]

Cell = float | str | bool | None
ModelName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        description="Letters, digits, dot, underscore and hyphen; at most 64",
        examples=["pima"],
    ),
]


class Costs(StrictModel):
    """What a decision costs; a correct one costs nothing."""

    false_positive: Positive
    """Calling a true -1 "+1"."""
    false_negative: Positive
    """Calling a true +1 "-1"."""
    reject_positive: Positive
    """Rejecting a true +1."""
    reject_negative: Positive
    """Rejecting a true -1."""


class InlineData(StrictModel):
    """A table in the request itself: numbers, strings, booleans, null = missing."""

    kind: Literal["inline"]
    columns: Annotated[list[ColumnName], Field(min_length=1, max_length=10_000)]
    rows: list[list[Cell]]
    """One list a row, as wide as ``columns``."""


class DatasetData(StrictModel):
    """A table that was uploaded by POST /datasets."""

    kind: Literal["dataset"]
    id: Annotated[str, Field(pattern="^[0-9a-f-]{36}$")]
    columns: Annotated[list[ColumnName], Field(min_length=1)] | None = None
    """Only these columns, the target among them; all where none is named."""

    @field_validator("columns")
    @classmethod
    def _distinct(cls, value: list[str] | None) -> list[str] | None:
        if value is not None and len(set(value)) < len(value):
            msg = "a column is named twice"
            raise ValueError(msg)
        return value


class Target(StrictModel):
    """The column to predict, and how to read it."""

    column: ColumnName
    positive: int | float | str | bool | None = None
    """The label that is +1; the column must hold exactly one other label."""
    probability: bool = False
    """The column holds probabilities of +1 (for ``p-svm``)."""
    weight: ColumnName | None = None
    """A column of non-negative row weights; it is no feature."""

    @model_validator(mode="after")
    def _one_reading(self) -> Self:
        if self.probability == (self.positive is not None):
            msg = 'give either "positive", the label that is +1, or "probability": true'
            raise ValueError(msg)
        return self


class Evaluation(StrictModel):
    """Which rows the figures of the version come from."""

    holdout: Annotated[float, Field(ge=0, lt=1)] = 0.2
    """Share of all rows held out; 0 switches the evaluation off."""
    calibration: Fraction = 0.25
    """Share of all rows kept for the promise of ``bounded-error``."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    order_by: ColumnName | None = None
    """A column of dates or numbers: the past trains, the future evaluates. Scores for
    thresholds and probabilities, too, come from models of earlier rows."""


class Guards(StrictModel):
    """Rows that are rejected whatever their score."""

    outlier: bool = False
    """Farther from each of at most 1,000 reference rows of training than 95 % of other
    training rows are."""
    unseen_category: bool = False
    """A category that training never saw."""
    missing_value: bool = False
    """Any missing value."""


def _without_default(schema: dict[str, Any]) -> None:
    """Tell no default where the value that stands for none is not to be sent."""
    schema.pop("default", None)


class TrainRequest(StrictModel):
    """What to train, on which rows, at which costs."""

    model: ModelName
    search: Search | None = None
    trainer: AnyTrainer = Field(
        default=None,
        validate_default=True,
        description="May be left out where `search` names candidates.",
        json_schema_extra=_without_default,
    )
    costs: Costs | None = None
    rule: Rule | None = None
    """The trainer's own rule where none is named."""
    data: Annotated[InlineData | DatasetData, Field(discriminator="kind")]
    target: Target
    evaluation: Evaluation = Evaluation()
    groups: ColumnName | None = None
    """A column whose equal values stay together in every split; it is no feature."""
    guards: Guards = Guards()
    refit: bool = False
    """Serve a model fitted on all rows, the evaluated one's figures beside it."""
    prevalence: Fraction | None = None
    """The share of +1 in use, where it differs from that of the rows."""
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
        if "search" not in info.data:  # it does not fit, and is told to
            return {"kind": "auto"}
        search = info.data["search"]
        if search is not None and search.candidates is not None:
            return {"kind": "auto"}
        kind, told = "missing", "Field required"
        raise PydanticCustomError(kind, told)
