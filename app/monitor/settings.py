"""What a lead has watched, and how often a false alarm may come."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field

from app.strict import StrictModel, with_examples
from app.train.base import Fraction

__all__ = ["KINDS", "Errors", "Limits", "MonitorSettings"]

KINDS = ("reject_rate", "expected_cost", "drift", "error_positive", "error_negative")
"""What alarms are of. The errors are of audited rows decided +1, and decided -1."""

_CYCLES = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}


class Errors(StrictModel):
    """The largest error among audited rows, by what the machine had decided."""

    plus: Fraction | None = Field(default=None, alias="+1")
    """Among the rows decided +1."""
    minus: Fraction | None = Field(default=None, alias="-1")
    """Among the rows decided -1."""


class Limits(StrictModel):
    """What is no reason for an alarm."""

    reject_rate: Fraction | None = None
    """Share of cases to people. Left out: the upper end of the version's own interval
    on its held-out rows."""
    expected_cost: Annotated[float, Field(gt=0)] | None = None
    """Mean expected cost of a row. Left out: as above."""
    max_error: Errors = Errors()
    """Left out: not watched, but for a version that promises an error itself."""


class MonitorSettings(StrictModel):
    """What is watched of a model. What is left out has its default."""

    model_config = with_examples(
        {"limits": {"reject_rate": 0.2, "max_error": {"-1": 0.05}}},
        {"cycle": "week", "false_alarm_days": 365},
    )

    enabled: bool = True
    limits: Limits = Limits()
    cycle: Literal["hour", "day", "week"] = "day"
    """Evidence is weighed once a cycle. Where the share of rejects swings from day to
    day within a week, the cycle is a week: else each Monday is over the limit."""
    false_alarm_days: Annotated[int, Field(ge=7, le=36_500)] = 250
    """Each alarm is false once in so many days on average, at the most."""

    @property
    def length(self) -> timedelta:
        """Return how long a cycle is."""
        return _CYCLES[self.cycle]

    @property
    def patience(self) -> float:
        """Return how many cycles there are to a false alarm."""
        return max(timedelta(days=self.false_alarm_days) / self.length, 1.0)
