"""The body of an evaluation, and its answer."""

from typing import Annotated, Any, Literal

from pydantic import Field

from app.models.schemas import VersionRef
from app.strict import Answer, StrictModel, with_examples
from app.train.base import Share
from app.train.schemas import DatasetData, InlineData, Target

__all__ = ["Comparison", "EvaluateAnswer", "EvaluateRequest", "PromiseCheck"]


class EvaluateRequest(StrictModel):
    """Labelled rows that the model has not seen."""

    data: Annotated[InlineData | DatasetData, Field(discriminator="kind")]
    target: Target | None = None
    """Where the labels are; as in training where it is left out."""
    groups: str | None = None
    """A column that names what rows were drawn together; where it is left out, that of
    training, if these rows have it."""
    prevalence: Share | None = None
    """The share of +1 in use, where it differs from that of these rows."""
    extra_columns: Literal["refuse", "ignore"] = "refuse"
    """What happens to inline columns that the model does not know. Those that training
    used otherwise (groups, order, weights) are always passed over."""


class Comparison(Answer):
    """One figure on the rows that training held out, and on these."""

    training: float | None
    here: float | None
    interval: list[float | None] | None
    """Of ``here``, at 95 %; rows of one group count as one draw."""
    differs: bool | None
    """Whether these rows contradict the figure of training (at 95 %, both figures being
    uncertain); null where that is unknown."""


class PromiseCheck(Answer):
    """What these rows say of a stored promise."""

    status: Literal["holds", "broken", "open", "nothing promised", "not checked"]
    """``open``: these rows are too few to tell."""
    holds: bool | None
    sentence: str
    """The promise as it was stored."""
    note: str | None = None
    groups: dict[str, Any] = Field(default_factory=dict)
    """Counts, observed rate, its exact interval and the limit, for each bound."""


EXAMPLE: dict[str, Any] = {
    "model": {"name": "pima", "version": 1},
    "rows": 168,
    "prevalence": None,
    "evaluation": {
        "rows": 168,
        "expected_cost": 0.47,
        "error_rate": 0.12,
        "reject_rate": 0.25,
    },
    "training": {
        "rows": 120,
        "expected_cost": 0.41,
        "error_rate": 0.1,
        "reject_rate": 0.22,
    },
    "compared": {
        "expected_cost": {
            "training": 0.41,
            "here": 0.47,
            "interval": [0.37, 0.57],
            "differs": False,
        }
    },
    "promise": {
        "status": "open",
        "holds": None,
        "sentence": "at most 10 % of the decided cases are decided wrongly, with 95 %"
        " confidence: chosen on 30 rows and counted on 120 others that the scorer never"
        " saw; it holds for cases drawn like them",
        "note": None,
        "groups": {
            "all": {
                "trials": 126,
                "errors": 10,
                "error": 0.079,
                "interval": [0.039, 0.141],
                "max_error": 0.1,
            }
        },
    },
    "warnings": [],
}


class EvaluateAnswer(Answer):
    """How a version does on these rows, beside how it did when it was trained."""

    model_config = with_examples(EXAMPLE)

    model: VersionRef
    rows: int
    prevalence: float | None
    evaluation: dict[str, Any]
    """The same figures as a version's own ``evaluation``."""
    training: dict[str, Any]
    """The version's own."""
    compared: dict[str, Comparison]
    promise: PromiseCheck | None
    """Null where the rule gives none."""
    warnings: list[str]
