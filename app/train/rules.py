"""Reject rules that a request may name: one schema for each registered rule.

The schemas are made from what the rules say about their constructors, so that a rule
added to ``solvers.rules.registry`` can be asked for over HTTP at once. Costs are given
once for the whole request, never inside a rule.
"""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Interval
from pydantic import Field, TypeAdapter, create_model

from app.strict import MadeModel, StrictModel
from solvers.rules.base import FittedByScores, Parameter
from solvers.rules.registry import RULES

__all__ = ["RULE", "Rule", "RuleChoice", "rule_parameters"]


class RuleChoice(MadeModel):
    """A reject rule, told apart by ``kind``."""

    kind: str


def _annotation(wanted: Parameter) -> Any:
    if wanted.kind == "choice":
        return Literal[*wanted.choices]
    bounds = Interval(
        gt=wanted.minimum if wanted.open_below else None,
        ge=None if wanted.open_below else wanted.minimum,
        lt=wanted.maximum if wanted.open_above else None,
        le=None if wanted.open_above else wanted.maximum,
    )
    if wanted.kind == "integer":
        return Annotated[int, bounds]
    number: Any = Annotated[float, bounds]
    if wanted.kind == "number or by label":
        return number | _by_label(number)
    return number


def _by_label(number: Any) -> type[StrictModel]:
    """Return an object of one number for +1 and one for -1."""
    sides: dict[str, Any] = {
        name: (Annotated[number, Field(alias=label)], ...)
        for name, label in (("positive", "+1"), ("negative", "-1"))
    }
    return create_model("ByLabel", __base__=MadeModel, **sides)


def _schema(kind: str, rule: type[FittedByScores]) -> type[RuleChoice]:
    chosen: dict[str, Any] = {"kind": (Literal[kind], ...)}
    for wanted in rule.parameters():
        if wanted.kind == "costs" or not wanted.served:
            continue
        annotation = _annotation(wanted)
        if wanted.required:
            default = Field(description=wanted.description)
        else:
            if wanted.default is None:
                annotation |= None
            default = Field(default=wanted.default, description=wanted.description)
        chosen[wanted.name] = (annotation, default)
    title = "".join(part.title() for part in kind.split("-")) + "Rule"
    summary = (rule.__doc__ or "").split("\n", 1)[0]
    return create_model(title, __base__=RuleChoice, __doc__=summary, **chosen)


_SCHEMAS = [_schema(kind, rule) for kind, rule in RULES.items()]

if TYPE_CHECKING:
    Rule = RuleChoice
else:
    Rule = Annotated[reduce(or_, _SCHEMAS), Field(discriminator="kind")]

RULE: TypeAdapter[RuleChoice] = TypeAdapter(Rule)
"""Reads a rule that stands by itself."""


def rule_parameters(rule: RuleChoice) -> dict[str, Any]:
    """Return the constructor arguments that a request gave, costs apart."""
    return rule.model_dump(by_alias=True, exclude={"kind"}, exclude_none=True)
