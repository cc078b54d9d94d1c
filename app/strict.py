"""The base of every request schema: exact types, known keys, finite numbers.

``"1"`` is no number, an unknown key is refused, and NaN or an infinity is neither.
Requests arrive as JSON, so a schema declares ``list`` and ``Literal`` (JSON has no
tuples and no enumerations, and strict mode converts nothing).
"""

import re
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

__all__ = [
    "Answer",
    "MadeModel",
    "QueryModel",
    "StrictModel",
    "in_digits",
    "with_examples",
]

_WHOLE = re.compile(r"-?[0-9]{1,30}")
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
            msg = "is no whole number, written in digits alone"
            raise ValueError(msg)
        if float in kinds and not in_digits(value, whole=False):
            msg = "is no number, written in digits"
            raise ValueError(msg)
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
