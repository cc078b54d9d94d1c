"""What Prometheus reads: requests and their latency, and how many jobs stand where.

A registry for each app, so that two apps in one process (tests) do not share counts.
Labels come from fixed sets only: the route's template, never the path that was asked.
"""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.db.states import JobStatus
from app.db.tables import Job

__all__ = ["CONTENT_TYPE", "Metrics", "exposition"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
LATENCY_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10)


class Metrics:
    """The counters of one process; ``registry`` takes more of them."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "demur_http_requests",
            "Requests answered.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self._latency = Histogram(
            "demur_http_request_seconds",
            "Time from the first byte of a request to the last of its answer.",
            ("method", "route"),
            buckets=LATENCY_S,
            registry=self.registry,
        )
        # finding a labelled child costs more than counting on it
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def note_request(
        self, method: str, route: str, status: int, seconds: float
    ) -> None:
        """Count one answered request."""
        key = (method, route, status)
        if key not in self._known:
            shown = method if method in METHODS else "other"
            self._known[key] = (
                self._requests.labels(shown, route, str(status)),
                self._latency.labels(shown, route),
            )
            if shown == "other":
                self._known.pop(key)[0].inc()
                return
        requests, latency = self._known[key]
        requests.inc()
        latency.observe(seconds)


def exposition(metrics: Metrics, session: Session) -> bytes:
    """Return everything that is known, in Prometheus' text format."""
    return generate_latest(metrics.registry) + generate_latest(_jobs(session))


def _jobs(session: Session) -> CollectorRegistry:
    counted = dict(
        session.execute(select(Job.status, func.count()).group_by(Job.status)).all()
    )
    registry = CollectorRegistry()
    registry.register(_Given(counted))
    return registry


class _Given:
    """A collector of job counts that were read already."""

    def __init__(self, counted: dict[str, int]) -> None:
        self.counted = counted

    def collect(self) -> Iterable[GaugeMetricFamily]:
        gauge = GaugeMetricFamily(
            "demur_jobs", "Jobs by where they stand.", labels=["status"]
        )
        for status in JobStatus:
            gauge.add_metric([status], self.counted.get(status, 0))
        yield gauge
