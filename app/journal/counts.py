"""How many decisions the prediction log has written and lost, for Prometheus."""

from collections.abc import Iterable
from threading import Lock
from typing import Literal

from prometheus_client.core import CounterMetricFamily, Metric

from app.health.metrics import Metrics
from app.health.shared import key_of

__all__ = ["LogCounts"]

FAMILY = "prediction-log"
Outcome = Literal["written", "lost"]


class LogCounts:
    """Count rows, from any thread.

    Parameters
    ----------
    metrics : Metrics
        Whose registry tells the counts, of all processes where there are several.
    """

    def __init__(self, metrics: Metrics) -> None:
        self._shared = None if metrics.shared is None else metrics.shared.another()
        self._rows: dict[Outcome, int] = {"written": 0, "lost": 0}
        self._lock = Lock()
        metrics.registry.register(self)

    def add(self, outcome: Outcome, rows: int) -> None:
        """Count rows."""
        with self._lock:
            self._rows[outcome] += rows
            if self._shared is not None:
                self._shared.write(key_of(FAMILY, outcome), self._rows[outcome])

    def close(self) -> None:
        """Count no more; what was counted is still told."""
        with self._lock:
            if self._shared is not None:
                self._shared.close()

    def collect(self) -> Iterable[Metric]:
        """Give the counts to the registry."""
        rows = CounterMetricFamily(
            "demur_prediction_log_rows",
            "Decisions that the prediction log has written, or lost.",
            labels=["outcome"],
        )
        for outcome, count in self._all().items():
            rows.add_metric([outcome], count)
        yield rows

    def _all(self) -> dict[str, float]:
        if self._shared is None:
            return {outcome: float(count) for outcome, count in self._rows.items()}
        sums = self._shared.sums()
        return {outcome: sums.get((FAMILY, outcome), 0.0) for outcome in self._rows}
