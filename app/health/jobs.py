"""What Prometheus reads of jobs: the queue's depth, and how long trainings took.

Both come from the database, so every process tells the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Self

from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric
from sqlalchemy import ColumnElement, Float, case, cast, extract, func, select
from sqlalchemy.orm import Session

from app.db.states import FINISHED, JobStatus
from app.db.tables import Job

__all__ = ["JobCounts"]

DURATION_S = (1, 5, 15, 60, 300, 1800, 7200, 43200)
BOUNDS = (*(str(float(bound)) for bound in DURATION_S), "+Inf")
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Durations:
    """Ended jobs of one status: how many in each bucket, and their seconds."""

    buckets: tuple[int, ...]
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)  # a registry's key by identity
class JobCounts:
    """A collector of job counts that were read already."""

    counted: Mapping[str, int]
    durations: Mapping[str, Durations]

    @classmethod
    def of(cls, session: Session) -> Self:
        """Read the counts."""
        grouped = select(Job.status, func.count()).group_by(Job.status)
        counted: dict[str, int] = dict(session.execute(grouped).all())
        return cls(counted, _durations(session))

    def collect(self) -> Iterable[Metric]:
        """Give the counts to the registry."""
        gauge = GaugeMetricFamily(
            "demur_jobs",
            "Jobs by where they stand; the queue's depth is that of queued.",
            labels=["status"],
        )
        for status in JobStatus:
            gauge.add_metric([status], self.counted.get(status, 0))
        yield gauge
        took = HistogramMetricFamily(
            "demur_job_seconds",
            "Time from the start of a job's last attempt to its end.",
            labels=["status"],
        )
        nothing = Durations((0,) * len(BOUNDS), 0.0)
        for status in sorted(FINISHED):
            one = self.durations.get(status, nothing)
            counts = zip(BOUNDS, accumulate(one.buckets), strict=True)
            took.add_metric([status], list(counts), one.seconds)
        yield took


def _durations(session: Session) -> dict[str, Durations]:
    seconds = _seconds(session.get_bind().dialect.name)
    place = case(
        *((seconds <= bound, place) for place, bound in enumerate(DURATION_S)),
        else_=len(DURATION_S),
    )
    ended = (
        select(Job.status, place.label("place"), seconds.label("seconds"))
        .where(Job.started_at.is_not(None), Job.finished_at.is_not(None))
        .subquery()
    )
    rows = session.execute(
        select(
            ended.c.status, ended.c.place, func.count(), func.sum(ended.c.seconds)
        ).group_by(ended.c.status, ended.c.place)
    )
    by_kind: dict[str, Durations] = {}
    for status, at, count, total in rows:
        before = by_kind.get(status, Durations((0,) * len(BOUNDS), 0.0))
        buckets = list(before.buckets)
        buckets[at] += count
        by_kind[status] = Durations(tuple(buckets), before.seconds + float(total))
    return by_kind


def _seconds(dialect: str) -> ColumnElement[float]:
    """Return how long a job ran, as each database counts time."""
    if dialect == "sqlite":
        days = func.julianday(Job.finished_at) - func.julianday(Job.started_at)
        return cast(days * _DAY_S, Float)
    return cast(extract("epoch", Job.finished_at - Job.started_at), Float)
