"""What a rule's constructor takes, as data: the service builds its schema from it."""

from dataclasses import MISSING, dataclass, fields
from math import isfinite
from typing import Any

from solvers.scalars import is_number

__all__ = ["Parameter", "as_number", "of_class", "parameter"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One constructor parameter of a registered rule.

    ``kind`` is "number", "integer", "choice", "costs" or "number or by label" (a
    number, or an object with the keys "+1" and "-1"). The limits are exclusive where
    ``open_below`` or ``open_above`` says so. ``served`` is False for what the service
    fills in by itself.
    """

    name: str
    kind: str
    description: str
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    open_below: bool = False
    open_above: bool = False
    served: bool = True


def parameter(kind: str, description: str, **limits: Any) -> dict[str, Any]:
    """Return dataclass-field metadata that describes a parameter."""
    return {"parameter": {"kind": kind, "description": description, **limits}}


def as_number(name: str, value: Any) -> float:
    """Return a parameter as a finite float, or raise ValueError (also for booleans)."""
    if is_number(value) and isfinite(value):
        return float(value)
    msg = f"{name} must be a finite number, got {value!r}"
    raise ValueError(msg)


def of_class(rule: type) -> tuple[Parameter, ...]:
    """Return the described parameters of a rule class, in order."""
    return tuple(
        Parameter(
            name=field.name,
            default=None if field.default is MISSING else field.default,
            required=field.default is MISSING,
            **field.metadata["parameter"],
        )
        for field in fields(rule)
        if "parameter" in field.metadata
    )
