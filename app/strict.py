"""The base of every request schema: exact types, known keys, finite numbers.

``"1"`` is no number, an unknown key is refused, and NaN or an infinity is neither.
Requests arrive as JSON, so a schema declares ``list`` and ``Literal`` (JSON has no
tuples and no enumerations, and strict mode converts nothing).
"""

import re
from datetime import UTC, datetime
from functools import partial
from math import isfinite
from typing import Annotated, Any, Literal, get_args, overload

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
)

__all__ = [
    "Answer",
    "MadeModel",
    "Moment",
    "QueryModel",
    "StrictModel",
    "Whole",
    "in_digits",
    "number_in",
    "with_examples",
]

_WHOLE = re.compile(r"-?[0-9]{1,30}")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")


class StrictModel(BaseModel):
    """A request body, or a part of one."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
        protected_namespaces=(),
    )


class MadeModel(StrictModel):
    """A base (the last, where there are several) of what ``create_model`` makes.

    Their fields are described where they are made. For descriptions beside attributes
    pydantic would look through every frame of the stack, and find no class statement:
    that took two thirds of the time in which a service starts.
    """

    model_config = ConfigDict(use_attribute_docstrings=False)


def in_digits(text: str, *, whole: bool) -> bool:
    """Tell whether a text is a number as people and JSON write it.

    Python's own reading takes more: ``1_0``, digits of other scripts, white space,
    ``infinity``; and 5.0 where a whole number is asked for.
    """
    return bool((_WHOLE if whole else _NUMBER).fullmatch(text))


@overload
def number_in(text: str, *, whole: Literal[True], comma: bool = False) -> int: ...
@overload
def number_in(
    text: str, *, whole: Literal[False] = False, comma: bool = False
) -> float: ...
def number_in(text: str, *, whole: bool = False, comma: bool = False) -> float:
    """Return the number that somebody typed, in a form or on a command line.

    Parameters
    ----------
    text : str
        White space around it is none of it.
    whole : bool
    comma : bool
        Whether a decimal comma is taken too; not where it may set thousands apart.

    Raises
    ------
    ValueError
        When it is none, or not finite; the message has no value in it.
    """
    plain = text.strip()
    plain = plain.replace(",", ".") if comma and not whole else plain
    if comma and _THOUSANDS.fullmatch(text.strip()):
        raise ValueError(_NO_NUMBER)
    if not in_digits(plain, whole=whole):
        raise ValueError(_NO_WHOLE if whole else _NO_NUMBER)
    if whole:
        return int(plain)
    value = float(plain)
    if not isfinite(value):
        msg = "is too large for a number"
        raise ValueError(msg)
    return value


_NO_WHOLE = "is no whole number, written in digits alone"
_NO_NUMBER = "is no number, written in digits"


def _typed(value: Any, *, whole: bool) -> Any:
    return number_in(value, whole=whole) if isinstance(value, str) else value  # type: ignore[call-overload]


Whole = Annotated[int, BeforeValidator(partial(_typed, whole=True))]
"""A whole number of a form or an address, in digits alone."""


def _moment(value: Any) -> Any:
    if not isinstance(value, str) or not _MOMENT.match(value):
        raise ValueError(_NO_MOMENT)
    return value


def _in_utc(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ValueError(_NO_MOMENT) from None


_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ]")
_NO_MOMENT = (
    "is no date and time in ISO 8601 with its zone, such as 2026-03-02T09:30:00Z"
)
Moment = Annotated[
    AwareDatetime,
    BeforeValidator(_moment),
    AfterValidator(_in_utc),
    Field(strict=False),
]
"""A date and time; what pydantic takes for seconds since 1970 is none."""


def _kinds(declared: Any) -> set[Any]:
    """Return a type and those that it is made of."""
    return {declared}.union(*map(_kinds, get_args(declared)))


class QueryModel(BaseModel):
    """What is asked in an address: every value is text, and numbers are in digits."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    @field_validator("*", mode="before")
    @classmethod
    def _numbers_in_digits(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, str):
            return value
        kinds = _kinds(cls.model_fields[str(info.field_name)].annotation)
        if int in kinds and not in_digits(value, whole=True):
            raise ValueError(_NO_WHOLE)
        if float in kinds and not in_digits(value, whole=False):
            raise ValueError(_NO_NUMBER)
        return value


class Answer(BaseModel):
    """A response body, or a part of one."""

    model_config = ConfigDict(
        frozen=True,
        from_attributes=True,
        use_attribute_docstrings=True,
        protected_namespaces=(),
    )


def with_examples(*examples: Any) -> ConfigDict:
    """Return the configuration of a schema that shows examples in the documentation."""
    return ConfigDict(json_schema_extra={"examples": list(examples)})
