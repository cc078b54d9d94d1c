"""What the constructors of rules and trainers take, as data, and the check of it.

A parameter is declared once: name, type, range and meaning. The service makes its
request schemas of these declarations, and estimators check themselves by them. The
service's range may be narrower: beyond it rounding drowns the rows, or a training has
no end.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np

from solvers.errors import UnknownNameError

__all__ = ["Parameter", "check", "choice", "flag", "is_number", "number", "whole"]


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether a value is a real number (a boolean is none)."""
    return isinstance(value, Real) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One constructor parameter.

    Parameters
    ----------
    name : str
    kind : str
        "number", "integer", "flag", "choice", "costs" or "number or by label" (a
        number, or an object with the keys "+1" and "-1").
    description : str
    default : Any
    required : bool
    choices : tuple of str
    minimum, maximum : float or None
        Exclusive where ``open_below`` or ``open_above`` says so.
    beside : tuple
        Values that are taken beside those of the kind, such as None, "auto" and -1.
    offered : (least, most), optional
        The service's range, both inclusive, where it is narrower.
    mapping : bool
        Whether Python takes a mapping from labels too, instead of a choice.
    served : bool
        False for what the service fills in by itself.
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
    beside: tuple[str | int | None, ...] = ()
    offered: tuple[float, float] | None = None
    mapping: bool = False
    served: bool = True

    def check(self, value: Any) -> None:
        """Raise ValueError unless a value is one of this parameter.

        Raises
        ------
        UnknownNameError
            Instead, where it is none of a few names.
        """
        plain = value is None or isinstance(value, str | Integral)
        if plain and not isinstance(value, bool) and value in self.beside:
            return
        if self.kind == "choice":
            self._check_choice(value)
        if self.kind == "flag" and not isinstance(value, bool | np.bool_):
            msg = f"{self.name} must be True or False{self._others()}, got {value!r}"
            raise ValueError(msg)
        if self.kind in {"number", "integer"} and not self._in_range(value):
            msg = f"{self.name} must {self._range_in_words()}, got {value!r}"
            raise ValueError(msg)

    def _check_choice(self, value: Any) -> None:
        if self.mapping and isinstance(value, Mapping):
            return
        if not isinstance(value, str) or value not in self.choices:
            if not self.mapping:
                raise UnknownNameError(self.name, value, self.choices)
            names = " or ".join(repr(choice) for choice in self.choices)
            msg = f"{self.name} must be a mapping or {names}, got {value!r}"
            raise ValueError(msg)

    def _in_range(self, value: Any) -> bool:
        if not is_number(value) or not -inf < value < inf:
            return False
        if self.kind == "integer" and not isinstance(value, int | np.integer):
            return False
        least = -inf if self.minimum is None else self.minimum
        most = inf if self.maximum is None else self.maximum
        above = value > least if self.open_below else value >= least
        return bool(above and (value < most if self.open_above else value <= most))

    def _others(self) -> str:
        return "".join(f", or be {value!r}" for value in self.beside)

    def _range_in_words(self) -> str:
        others = self._others()
        if self.kind == "integer":
            upper = "" if self.maximum is None else f" and at most {self.maximum:g}"
            return f"be a whole number of at least {self.minimum:g}{upper}{others}"
        least = -inf if self.minimum is None else self.minimum
        most = inf if self.maximum is None else self.maximum
        if least == -inf and most == inf:
            return f"be finite{others}"
        if most == inf:
            limit = f"above {least:g}" if self.open_below else f"of at least {least:g}"
            return f"be a finite number {limit}{others}"
        if self.open_below and self.open_above:
            return f"lie strictly between {least:g} and {most:g}{others}"
        left, right = "(" if self.open_below else "[", ")" if self.open_above else "]"
        return f"lie in {left}{least:g}, {most:g}{right}{others}"


def check(estimator: Any, parameters: Iterable[Parameter]) -> None:
    """Raise ValueError where a parameter of an estimator is none of its values.

    Raises
    ------
    UnknownNameError
        Where it is none of a few names.
    """
    for parameter in parameters:
        parameter.check(getattr(estimator, parameter.name))


def number(
    name: str,
    default: float | None,
    description: str = "",
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    **more: Any,
) -> Parameter:
    """Declare a number: ``above`` and ``below`` are exclusive limits."""
    return Parameter(
        name,
        "number",
        description,
        default,
        minimum=least if above is None else above,
        maximum=most if below is None else below,
        open_below=above is not None,
        open_above=below is not None,
        **more,
    )


def whole(
    name: str, default: int | str | None, description: str = "", **more: Any
) -> Parameter:
    """Declare a whole number."""
    return Parameter(name, "integer", description, default, **more)


def choice(
    name: str, choices: tuple[str, ...], description: str = "", **more: Any
) -> Parameter:
    """Declare one of a few names; the first is the default where none is given."""
    settings = {"default": choices[0], "choices": choices} | more
    return Parameter(name, "choice", description, **settings)


def flag(
    name: str, description: str = "", *, default: bool | str, **more: Any
) -> Parameter:
    """Declare a yes or no."""
    return Parameter(name, "flag", description, default, **more)
