"""What the monitor tells, and an acknowledgement."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from app.choices import shape
from app.monitor.settings import Limits, MonitorSettings
from app.strict import Answer, QueryModel, StrictModel, with_examples

__all__ = [
    "Acknowledgement",
    "AlarmAnswer",
    "Audits",
    "CycleAnswer",
    "Evidence",
    "MonitorAnswer",
    "MonitorQuery",
    "MonitorRequest",
    "WatchedVersion",
]


class MonitorRequest(MonitorSettings):
    """What is to be watched from now on."""

    revision: Annotated[int, Field(ge=0)] | None = None
    """Of the settings that were read before; another one since then is a 409."""


class MonitorQuery(QueryModel):
    """How far back counts are told."""

    days: Annotated[int, Field(ge=1, le=400)] = 60


_WORDS = shape(r"^[^\x00]*\S[^\x00]*$", "some words, without NUL characters")


class Acknowledgement(StrictModel):
    """That somebody has seen an alarm, and what was found."""

    alarm: Annotated[str, StringConstraints(max_length=36)]
    """Its id."""
    note: Annotated[str, StringConstraints(pattern=_WORDS, max_length=2000)]
    """What was found or done; it is kept."""


class AlarmAnswer(Answer):
    """An alarm; it is on until it is acknowledged."""

    id: str
    version: int
    kind: str
    """reject_rate, expected_cost, drift, error_positive or error_negative."""
    raised_at: datetime
    evidence: dict[str, Any]
    """Of the cycle that raised it: rows, figures, limit, and the evidence as a
    logarithm, which alarms at that of ``patience``."""
    acknowledged_at: datetime | None
    acknowledged_by: str | None
    note: str | None


class CycleAnswer(Answer):
    """What a version answered in a cycle, over all processes."""

    start: datetime
    rows: int
    positive: int
    rejects: dict[str, int]
    """Rejected rows by reason."""
    expected_cost: float | None
    """Mean over the rows."""


class Evidence(Answer):
    """The evidence after a cycle, as logarithms; null is none yet."""

    start: datetime
    log_evidence: dict[str, float | None]


class Audits(Answer):
    """Audited rows of one decision since the watch began."""

    rows: int
    errors: int
    interval: tuple[float, float]
    """Holds the true error with 97.5 % confidence, however often it is looked at."""
    limit: float | None
    doubling_found_after: int | None
    """Cycles until an error of twice the limit would be found, at the present pace of
    audits; null without a limit or audits, and beyond half the time to a false
    alarm."""


class WatchedVersion(Answer):
    """One version that answered."""

    version: int
    limits: dict[str, float]
    """By kind of alarm, in the unit of the figure."""
    history: list[Evidence]
    cycles: list[CycleAnswer]
    """Whole cycles and the present one, the oldest first."""
    audits: dict[str, Audits]
    """By what the machine had decided: "+1", "-1"."""


class MonitorAnswer(Answer):
    """What is watched, what was answered, and the alarms."""

    model_config = with_examples(
        {
            "model": "pima",
            "enabled": True,
            "limits": {"reject_rate": 0.2},
            "cycle": "day",
            "false_alarm_days": 250,
            "revision": 1,
            "watched_until": "2026-03-02T00:00:00Z",
            "alarm_at": 5.52,
            "alarms": [],
            "versions": [],
        }
    )

    model: str
    enabled: bool
    limits: Limits
    cycle: str
    false_alarm_days: int
    revision: int
    """0: nobody has set anything; counts are kept, alarms are off."""
    watched_until: datetime | None
    """Cycles up to here are weighed."""
    alarm_at: float
    """Logarithm of the evidence that alarms."""
    alarms: list[AlarmAnswer]
    """Those that are on first, then the newest that were acknowledged."""
    versions: list[WatchedVersion]
