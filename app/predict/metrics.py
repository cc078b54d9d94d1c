"""How many rows were decided how, by model and version, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter

from app.guards.guards import GUARDS
from app.models.queries import ResolvedVersion
from app.predict.answer import Tally

__all__ = ["PredictionCounts"]

_MOST_VERSIONS = 500
_REASONS = ("ambiguous", *GUARDS)
_DECISIONS = (("+1", ""), ("-1", ""), *(("reject", reason) for reason in _REASONS))

Children = tuple[Counter, ...]


class PredictionCounts:
    """The counter of answered rows.

    Only the versions used last are counted on; a version that comes back after it
    was dropped starts from 0 again, as after a restart.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._counter = Counter(
            "demur_predictions",
            "Rows answered, by decision and by why they were rejected.",
            ("model", "version", "decision", "reason"),
            registry=registry,
        )
        # Finding a labelled child costs more than counting on it.
        self._children: dict[tuple[str, int], Children] = {}

    def note(self, version: ResolvedVersion, tally: Tally) -> None:
        """Count the rows of one answer."""
        key = (version.name, version.version)
        children = self._children.get(key) or self._begin(key)
        negative = tally.rows - tally.positive - tally.rejected
        ambiguous = tally.rejected - sum(tally.guarded)
        counts = (tally.positive, negative, ambiguous, *tally.guarded)
        for child, count in zip(children, counts, strict=True):
            if count:
                child.inc(count)

    def _begin(self, key: tuple[str, int]) -> Children:
        if len(self._children) >= _MOST_VERSIONS:
            oldest = next(iter(self._children))
            del self._children[oldest]
            for labels in self._labels(oldest):
                self._counter.remove(*labels)
        children = tuple(self._counter.labels(*labels) for labels in self._labels(key))
        self._children[key] = children
        return children

    @staticmethod
    def _labels(key: tuple[str, int]) -> list[tuple[str, str, str, str]]:
        name, version = key
        return [(name, str(version), *decision) for decision in _DECISIONS]
