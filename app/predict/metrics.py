"""How many rows were decided how, by model and version, for Prometheus."""

from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily, Metric

from app.guards.guards import CAUSES
from app.health.metrics import Metrics
from app.health.shared import key_of
from app.models.queries import ResolvedVersion
from app.predict.answer import Tally

__all__ = ["PredictionCounts"]

FAMILY = "prediction"
_MOST_VERSIONS = 500
_REASONS = ("ambiguous", *CAUSES)
_DECISIONS = (("+1", ""), ("-1", ""), *(("reject", reason) for reason in _REASONS))

Version = tuple[str, int]
Labels = tuple[str, str, str, str]


class PredictionCounts:
    """The counter of answered rows.

    Only the versions used last are counted on; a version that comes back after it
    was dropped starts from 0 again, as after a restart.

    Parameters
    ----------
    metrics : Metrics
        Whose registry tells the counts, of all processes where there are several.
    """

    def __init__(self, metrics: Metrics) -> None:
        self._shared = metrics.shared
        self._counts: dict[Version, list[int]] = {}
        self._keys: dict[Version, list[str]] = {}
        metrics.registry.register(self)

    def note(self, version: ResolvedVersion, tally: Tally) -> None:
        """Count the rows of one answer."""
        key = (version.name, version.version)
        counts = self._counts.get(key) or self._begin(key)
        negative = tally.rows - tally.positive - tally.rejected
        ambiguous = tally.rejected - sum(tally.guarded)
        added = (tally.positive, negative, ambiguous, *tally.guarded)
        for place, count in enumerate(added):
            if count:
                counts[place] += count
                if self._shared is not None:
                    self._shared.write(self._keys[key][place], counts[place])

    def collect(self) -> Iterable[Metric]:
        """Give the counts to the registry."""
        rows = CounterMetricFamily(
            "demur_predictions",
            "Rows answered, by decision and by why they were rejected.",
            labels=["model", "version", "decision", "reason"],
        )
        for labels, count in self._all():
            rows.add_metric(labels, count)
        yield rows

    def _all(self) -> Iterable[tuple[Labels, float]]:
        if self._shared is None:
            for key, counts in list(self._counts.items()):
                yield from zip(_labels(key), counts, strict=True)
            return
        for (family, *parts), count in self._shared.sums().items():
            if family == FAMILY:
                model, version, decision, reason = parts
                yield (model, version, decision, reason), count

    def _begin(self, key: Version) -> list[int]:
        if len(self._counts) >= _MOST_VERSIONS:
            oldest = next(iter(self._counts))
            del self._counts[oldest]
            for name in self._keys.pop(oldest, ()):
                if self._shared is not None:
                    self._shared.write(name, 0.0)
        counts = self._counts[key] = [0] * len(_DECISIONS)
        if self._shared is not None:
            names = [key_of(FAMILY, *labels) for labels in _labels(key)]
            self._keys[key] = names
            for name in names:
                self._shared.write(name, 0.0)
        return counts


def _labels(key: Version) -> list[Labels]:
    name, version = key
    return [(name, str(version), *decision) for decision in _DECISIONS]
