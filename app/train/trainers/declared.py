"""Schemas of what ``solvers`` declares: of parameters, and of trainers made of them."""

from typing import Annotated, Any, Literal

from annotated_types import Interval
from pydantic import Field, create_model

from app.strict import MadeModel, StrictModel
from app.train.base import TrainerChoice
from solvers.declarations import TRAINERS, Declaration
from solvers.parameters import Parameter

__all__ = ["SCHEMAS", "members"]


_NUMBERS: dict[str, Any] = {
    "integer": int,
    "number": float,
    "number or by label": float,
}


def members(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    """Return the fields of a schema with these parameters, for ``create_model``."""
    made: dict[str, Any] = {}
    for one in parameters:
        annotation = _annotation(one)
        told = {} if one.required else {"default": one.default}
        if not one.required and one.default is None and None not in one.beside:
            annotation |= None
        field = Field(description=one.description or None, **told)
        made[one.name] = (annotation, field)
    return made


def _annotation(one: Parameter) -> Any:
    made = _of_kind(one)
    for value in one.beside:
        made |= None if value is None else Literal[value]
    return made


def _of_kind(one: Parameter) -> Any:
    if one.kind == "flag":
        return bool
    if one.kind == "choice":
        return Literal[*one.choices]
    number: Any = Annotated[_NUMBERS[one.kind], _bounds(one)]
    if one.kind == "number or by label":
        return number | _by_label(number)
    return number


def _bounds(one: Parameter) -> Interval:
    if one.offered is not None:
        return Interval(ge=one.offered[0], le=one.offered[1])
    return Interval(
        gt=one.minimum if one.open_below else None,
        ge=None if one.open_below else one.minimum,
        lt=one.maximum if one.open_above else None,
        le=None if one.open_above else one.maximum,
    )


def _by_label(number: Any) -> type[StrictModel]:
    """Return an object of one number for +1 and one for -1."""
    sides: dict[str, Any] = {
        name: (Annotated[number, Field(alias=label)], ...)
        for name, label in (("positive", "+1"), ("negative", "-1"))
    }
    return create_model("ByLabel", __base__=MadeModel, **sides)


class _Made(TrainerChoice, MadeModel):
    """A trainer whose fields are described where they are declared."""


def _schema(one: Declaration) -> type[TrainerChoice]:
    kind: dict[str, Any] = {"kind": (Literal[one.kind], ...)}
    return create_model(
        f"{one.title}Trainer",
        __base__=_Made,
        __doc__=one.summary,
        **kind,
        **members(one.parameters),
    )


SCHEMAS = {kind: _schema(one) for kind, one in TRAINERS.items()}
