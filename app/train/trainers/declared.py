"""Schemas of what ``solvers`` declares: of parameters, and of trainers made of them."""

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from annotated_types import Interval
from pydantic import Field, create_model

from app.strict import MadeModel, StrictModel
from app.train.base import TrainerChoice
from solvers.declarations import TRAINERS
from solvers.parameters import Parameter

__all__ = ["SCHEMAS", "members", "of_kind", "one_of"]


_NUMBERS: dict[str, Any] = {
    "integer": int,
    "number": float,
    "number or by label": float,
}


def members(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    """Return the fields of a schema with these parameters, for ``create_model``."""
    made: dict[str, Any] = {}
    for one in (p for p in parameters if p.served):
        annotation = _annotation(one)
        default = {} if one.required else {"default": one.default}
        if not one.required and one.default is None and None not in one.beside:
            annotation |= None
        field = Field(description=one.description or None, **default)
        made[one.name] = (annotation, field)
    return made


def _annotation(one: Parameter) -> Any:
    made = _of_kind(one)
    if named := tuple(value for value in one.beside if value is not None):
        made |= Literal[named]
    return made | None if None in one.beside else made


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


def of_kind(
    kind: str,
    name: str,
    summary: str,
    parameters: tuple[Parameter, ...],
    *bases: type[StrictModel],
) -> Any:
    """Return a schema of declared parameters, told apart by ``kind``.

    Parameters
    ----------
    kind : str
    name : str
        Of the schema.
    summary : str
    parameters : tuple of Parameter
    *bases : type of StrictModel
        What it is besides, with the members that no declaration tells.
    """
    fields: dict[str, Any] = {"kind": (Literal[kind], ...), **members(parameters)}
    made: Any = create_model(
        name, __base__=(*bases, MadeModel), __doc__=summary, **fields
    )
    return made


def one_of(schemas: Iterable[Any]) -> Any:
    """Return the union of schemas that ``kind`` tells apart."""
    return Annotated[reduce(or_, schemas), Field(discriminator="kind")]


SCHEMAS: dict[str, type[TrainerChoice]] = {
    kind: of_kind(
        kind, f"{one.title}Trainer", one.summary, one.parameters, TrainerChoice
    )
    for kind, one in TRAINERS.items()
}
