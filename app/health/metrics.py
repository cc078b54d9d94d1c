"""What Prometheus reads: requests and their latency, and how many jobs stand where.

A registry for each app, so that two apps in one process (tests) do not share counts.
Labels come from fixed sets only: the route's template, never the path that was asked.
Requests are counted on the event loop alone, without locks, in plain numbers that are
put into Prometheus' words when they are asked for.
"""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.db.states import JobStatus
from app.db.tables import Job

__all__ = ["CONTENT_TYPE", "Metrics", "exposition"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
LATENCY_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10)
BOUNDS = (*(str(float(bound)) for bound in LATENCY_S), "+Inf")


class Tally:
    """The answered requests of one method, route and status."""

    __slots__ = ("buckets", "seconds")

    def __init__(self) -> None:
        self.buckets = [0] * len(BOUNDS)
        self.seconds = 0.0


class Metrics:
    """The counters of one process; ``registry`` takes more of them."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._tallies: dict[tuple[str, str, int], Tally] = {}
        self.registry.register(self)

    def note_request(
        self, method: str, route: str, status: int, seconds: float
    ) -> None:
        """Count one answered request."""
        key = (method if method in METHODS else "other", route, status)
        tally = self._tallies.get(key)
        if tally is None:
            tally = self._tallies[key] = Tally()
        tally.buckets[bisect_left(LATENCY_S, seconds)] += 1
        tally.seconds += seconds

    def collect(self) -> Iterable[Metric]:
        """Give the counts to the registry."""
        requests = CounterMetricFamily(
            "demur_http_requests",
            "Requests answered.",
            labels=["method", "route", "status"],
        )
        latency = HistogramMetricFamily(
            "demur_http_request_seconds",
            "Time from the first byte of a request to the last of its answer.",
            labels=["method", "route"],
        )
        together: dict[tuple[str, str], Tally] = {}
        for (method, route, status), tally in list(self._tallies.items()):
            requests.add_metric([method, route, str(status)], sum(tally.buckets))
            whole = together.setdefault((method, route), Tally())
            pairs = zip(whole.buckets, tally.buckets, strict=True)
            whole.buckets = [one + other for one, other in pairs]
            whole.seconds += tally.seconds
        for labels, whole in together.items():
            counts = zip(BOUNDS, accumulate(whole.buckets), strict=True)
            latency.add_metric(list(labels), list(counts), whole.seconds)
        yield requests
        yield latency


def exposition(metrics: Metrics, session: Session) -> bytes:
    """Return everything that is known, in Prometheus' text format."""
    return generate_latest(metrics.registry) + generate_latest(_jobs(session))


def _jobs(session: Session) -> CollectorRegistry:
    grouped = select(Job.status, func.count()).group_by(Job.status)
    counted: dict[str, int] = dict(session.execute(grouped).all())
    registry = CollectorRegistry()
    registry.register(JobCounts(counted))
    return registry


class JobCounts:
    """A collector of job counts that were read already."""

    def __init__(self, counted: dict[str, int]) -> None:
        self.counted = counted

    def collect(self) -> Iterable[Metric]:
        """Give the counts to the registry."""
        gauge = GaugeMetricFamily(
            "demur_jobs", "Jobs by where they stand.", labels=["status"]
        )
        for status in JobStatus:
            gauge.add_metric([status], self.counted.get(status, 0))
        yield gauge
