"""What all reject rules have in common, and how they declare their parameters.

A rule is fitted on scores of rows that its scorer did not see (out-of-fold, or a part
kept apart) and becomes a ``Band``. The classes are dataclasses whose fields are the
constructor parameters; ``fit`` adds ``band_``.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, fields
from math import isfinite
from typing import Any, ClassVar, Literal, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.costs import CostMatrix, RowCosts
from solvers.errors import InvalidCostsError, SolverError
from solvers.parameters import Parameter, is_number
from solvers.rules.band import Band, Scale
from solvers.rules.inputs import checked

__all__ = [
    "FittedByScores",
    "LearnedRule",
    "RejectRule",
    "UnfittedRuleError",
    "as_costs",
    "as_number",
    "of_class",
    "open_share",
    "parameter",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def parameter(kind: str, description: str, **limits: Any) -> dict[str, Any]:
    """Return dataclass-field metadata that describes a parameter."""
    return {"parameter": {"kind": kind, "description": description, **limits}}


def open_share(description: str, kind: str = "number") -> dict[str, Any]:
    """Return the metadata of a parameter that lies strictly between 0 and 1."""
    return parameter(
        kind, description, minimum=0.0, maximum=1.0, open_below=True, open_above=True
    )


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


@runtime_checkable
class RejectRule(Protocol):
    """Scores and labels in, two thresholds out."""

    kind: ClassVar[str]
    on: ClassVar[Scale]

    def fit(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Choose the thresholds from scores and labels in {-1, +1}."""
        ...

    def decide(self, scores: ArrayLike) -> NDArray[np.int8]:
        """Return +1, -1 or 0 (reject) for each score."""
        ...

    def payload(self) -> dict[str, Any]:
        """Return the fitted rule as JSON-able facts."""
        ...


class UnfittedRuleError(SolverError, ValueError, AttributeError):
    """A rule was asked for what only a fitted rule has."""


class FittedByScores:
    """The part of a rule that does not depend on how its band was found.

    Attributes
    ----------
    kind : str
        The registered name.
    on : {"score", "probability", "reject-function"}
        What ``fit`` and ``decide`` take.
    costs_use : {"needed", "symmetric", "optional"}
        Whether the rule works without costs; "symmetric": needed, and both classes
        must have the same.
    promises : bool
        Whether the rule gives a finite-sample promise: it then takes a calibration
        part that the served scorer never saw, and no weights.
    """

    kind: ClassVar[str]
    on: ClassVar[Scale] = "score"
    costs_use: ClassVar[Literal["needed", "symmetric", "optional"]] = "needed"
    promises: ClassVar[bool] = False
    # True where the score's own scale is believed: it must speak of the rows as they
    # come, not of rows that class weights made.
    believes: ClassVar[bool] = False
    # True where the thresholds are known from the parameters alone.
    learns: ClassVar[bool] = True

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Return what the constructor takes, described."""
        return of_class(cls)

    @property
    def promised(self) -> bool:
        """Tell whether this very rule gives a promise, by its parameters."""
        return self.promises

    @property
    def fitted(self) -> Band:
        """Return the fitted band, or raise UnfittedRuleError."""
        band: Band | None = vars(self).get("band_")
        if band is None:
            msg = f"this {type(self).__name__} is not fitted yet: call fit first"
            raise UnfittedRuleError(msg)
        return band

    @property
    def lower_(self) -> float:
        """Return the threshold below which a row is called -1."""
        return self.fitted.lower

    @property
    def upper_(self) -> float:
        """Return the threshold above which a row is called +1."""
        return self.fitted.upper

    def decide(
        self, scores: ArrayLike, reject_scores: ArrayLike | None = None
    ) -> NDArray[np.int8]:
        """Return +1, -1 or 0 (reject) for each score, shape (n_rows,).

        ``reject_scores`` are needed by rules on the reject function, and only there.
        """
        return self.fitted.decide(scores, reject_scores)

    def payload(self) -> dict[str, Any]:
        """Return the fitted rule as JSON-able facts, enough to decide with."""
        return {"kind": self.kind, **self.fitted.payload(), **self.facts()}

    def facts(self) -> dict[str, Any]:
        """Return what this rule knows beyond its thresholds."""
        return {}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's signature
        """Return the constructor parameters, so that ``sklearn.base.clone`` works."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **changes: Any) -> Self:
        """Change constructor parameters; unknown names raise ValueError."""
        known = self.get_params()
        for name, value in changes.items():
            if name not in known:
                owner = type(self).__name__
                msg = f"{owner} has no parameter {name!r}; it has {sorted(known)}"
                raise ValueError(msg)
            setattr(self, name, value)
        return self


class LearnedRule(FittedByScores, ABC):
    """A rule whose thresholds follow from scores, labels and weights."""

    def fit(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Choose the thresholds from scores and labels in {-1, +1}."""
        self._learn(*checked(scores, y, sample_weight))
        return self

    @abstractmethod
    def _learn(self, scores: Floats, positive: Bools, weights: Floats | None) -> None:
        """Set the band from checked rows."""


def as_costs(costs: object) -> CostMatrix:
    """Return costs as a CostMatrix; ``None``: an error costs 1, a reject 0.25."""
    if costs is None:
        return CostMatrix()
    if isinstance(costs, CostMatrix):
        return costs
    if isinstance(costs, Mapping):
        known = [field.name for field in fields(CostMatrix)]
        for name in costs:
            if name not in known:
                msg = f"costs have no field {name!r}; they have {', '.join(known)}"
                raise InvalidCostsError(msg)
        return CostMatrix(**costs)
    if isinstance(costs, RowCosts):
        msg = (
            "thresholds and machines are chosen at four prices, a CostMatrix; at prices"
            " of rows a probability is decided by RowCosts.decide"
        )
        raise InvalidCostsError(msg)
    msg = f"costs must be a CostMatrix or a mapping of its four fields, got {costs!r}"
    raise TypeError(msg)
