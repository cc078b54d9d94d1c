"""What Prometheus reads of requests: how many there were, and how long they took.

A registry for each app, so that two apps in one process (tests) do not share counts.
Labels come from fixed sets only: the route's template, never the path that was asked.
Requests are counted on the event loop alone, without locks, in plain numbers that are
put into Prometheus' words when they are asked for. Of several processes on one port,
each tells the sums of all (``app.health.shared``).
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from sqlalchemy.orm import Session

from app.health.jobs import JobCounts
from app.health.shared import SharedCounts, key_of

__all__ = ["CONTENT_TYPE", "Metrics", "exposition"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
LATENCY_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10)
BOUNDS = (*(str(float(bound)) for bound in LATENCY_S), "+Inf")
FAMILY, SECONDS = "request", "seconds"

Labels = tuple[str, str, str]


class Tally:
    """The answered requests of one method, route and status."""

    __slots__ = ("buckets", "keys", "seconds")

    def __init__(self, labels: Labels | None = None) -> None:
        self.buckets = [0.0] * len(BOUNDS)
        self.seconds = 0.0
        self.keys: tuple[str, ...] = ()
        """Names of the buckets, then of the seconds, where they are shared."""
        if labels is not None:
            places = (*map(str, range(len(BOUNDS))), SECONDS)
            self.keys = tuple(key_of(FAMILY, *labels, place) for place in places)


class Metrics:
    """The counters of one process; ``registry`` takes more of them.

    Parameters
    ----------
    folder : Path, optional
        Of the counts of all processes, where several serve one port.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.registry = CollectorRegistry()
        self.shared = None if folder is None else SharedCounts(folder)
        self._tallies: dict[tuple[str, str, int], Tally] = {}
        self.registry.register(self)

    def close(self) -> None:
        """Let go of the file that is shared, if there is one."""
        if self.shared is not None:
            self.shared.close()

    def note_request(
        self, method: str, route: str, status: int, seconds: float
    ) -> None:
        """Count one answered request."""
        key = (method if method in METHODS else "other", route, status)
        tally = self._tallies.get(key)
        if tally is None:
            tally = self._tallies[key] = self._begin(*key)
        place = bisect_left(LATENCY_S, seconds)
        tally.buckets[place] += 1
        tally.seconds += seconds
        if self.shared is not None:
            self.shared.write(tally.keys[place], tally.buckets[place])
            self.shared.write(tally.keys[-1], tally.seconds)

    def _begin(self, method: str, route: str, status: int) -> Tally:
        return Tally(None if self.shared is None else (method, route, str(status)))

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
        for (method, route, status), tally in self._all().items():
            requests.add_metric([method, route, status], sum(tally.buckets))
            whole = together.setdefault((method, route), Tally())
            pairs = zip(whole.buckets, tally.buckets, strict=True)
            whole.buckets = [one + other for one, other in pairs]
            whole.seconds += tally.seconds
        for labels, whole in together.items():
            counts = zip(BOUNDS, accumulate(whole.buckets), strict=True)
            latency.add_metric(list(labels), list(counts), whole.seconds)
        yield requests
        yield latency

    def _all(self) -> Mapping[Labels, Tally]:
        if self.shared is None:
            return {
                (method, route, str(status)): tally
                for (method, route, status), tally in list(self._tallies.items())
            }
        tallies: dict[Labels, Tally] = {}
        for (family, *parts), value in self.shared.sums().items():
            if family != FAMILY:
                continue
            method, route, status, place = parts
            tally = tallies.setdefault((method, route, status), Tally())
            if place == SECONDS:
                tally.seconds = value
            else:
                tally.buckets[int(place)] = value
        return tallies


@dataclass(frozen=True, slots=True, eq=False)  # a registry's key by identity
class AlarmsOn:
    """A collector of alarms that were read already: model, version and kind."""

    on: Sequence[tuple[str, int, str]]

    def collect(self) -> Iterable[Metric]:
        """Give the alarms to the registry."""
        gauge = GaugeMetricFamily(
            "demur_alarms",
            "Alarms of the monitor that nobody has acknowledged.",
            labels=["model", "version", "kind"],
        )
        for model, version, kind in self.on:
            gauge.add_metric([model, str(version), kind], 1)
        yield gauge


def exposition(
    metrics: Metrics, session: Session, alarms: Sequence[tuple[str, int, str]] = ()
) -> bytes:
    """Return everything that is known, in Prometheus' text format."""
    jobs = CollectorRegistry()
    jobs.register(JobCounts.of(session))
    jobs.register(AlarmsOn(alarms))
    return generate_latest(metrics.registry) + generate_latest(jobs)
