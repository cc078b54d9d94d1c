"""Reject rules that a request may name: one schema for each registered rule.

The schemas are made from what the rules say about their constructors, so that a rule
added to ``solvers.rules.registry`` can be asked for over HTTP at once. Costs are given
once for the whole request, never inside a rule.
"""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, TypeAdapter, create_model

from app.strict import MadeModel
from app.train.trainers.declared import members
from solvers.rules.base import FittedByScores
from solvers.rules.registry import RULES

__all__ = ["RULE", "Rule", "RuleChoice", "rule_parameters"]


class RuleChoice(MadeModel):
    """A reject rule, told apart by ``kind``."""

    kind: str


def _schema(kind: str, rule: type[FittedByScores]) -> type[RuleChoice]:
    chosen: dict[str, Any] = {"kind": (Literal[kind], ...)}
    chosen |= members(tuple(p for p in rule.parameters() if p.kind != "costs"))
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
