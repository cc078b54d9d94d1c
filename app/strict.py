"""The base of every request schema: exact types, known keys, finite numbers.

``"1"`` is no number, an unknown key is refused, and NaN or an infinity is neither.
Requests arrive as JSON, so a schema declares ``list`` and ``Literal`` (JSON has no
tuples and no enumerations, and strict mode converts nothing).
"""

from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["Answer", "MadeModel", "StrictModel", "with_examples"]


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
