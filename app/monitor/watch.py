"""The watch: whole cycles are weighed, in order, and alarms raised.

The worker runs it; whoever holds a model's row weighs its cycles, so that each is
weighed once. An alarm latches: while it is on, nothing is added to its evidence, and it
begins anew when somebody has acknowledged it.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.artifacts.row_prices import four_numbers
from app.artifacts.store import ArtifactStore
from app.db.monitor_tables import Alarm, Bucket, Monitor
from app.db.tables import ModelVersion
from app.evidence.stored import with_evidence
from app.monitor.audits import Audited, audited_between
from app.monitor.counts import start_of
from app.monitor.reference import Reference, limits_of, reference_of
from app.monitor.settings import MonitorSettings
from solvers.monitoring import DriftDetector, LimitDetector

__all__ = ["Cycle", "cycles", "expire", "watch"]

GRACE = timedelta(minutes=1)
"""Counts are written down a few seconds after they are made."""
KEPT = timedelta(days=400)
HISTORY = 400
"""Cycles whose evidence is kept, to be drawn."""
MOST_CASES = 5_000
"""Cases of a cycle that drift is sought in; of more, so many are drawn."""


@dataclass(slots=True)
class Cycle:
    """What a version answered in a cycle, over all processes."""

    rows: int = 0
    positive: int = 0
    rejects: Counter[str] = field(default_factory=Counter)
    priced: int = 0
    cost: float = 0.0
    cells: Counter[int] = field(default_factory=Counter)

    def add(self, bucket: Bucket) -> None:
        """Count another bucket, or another process's."""
        self.rows += bucket.n_rows
        self.positive += bucket.positive
        self.rejects.update(bucket.rejects)
        self.priced += bucket.priced
        self.cost += bucket.cost
        self.cells.update({int(cell): n for cell, n in bucket.cells.items()})

    @property
    def rejected(self) -> int:
        """Return how many rows went to people."""
        return self.rejects.total()


def cycles(
    buckets: Iterable[Bucket], length: timedelta
) -> dict[tuple[int, datetime], Cycle]:
    """Return buckets together, by version id and when the cycle began, in order."""
    by_cycle: dict[tuple[int, datetime], Cycle] = defaultdict(Cycle)
    for bucket in sorted(buckets, key=lambda one: (one.start, one.version_id)):
        by_cycle[bucket.version_id, start_of(bucket.start, length)].add(bucket)
    return by_cycle


def watch(session: Session, store: ArtifactStore, now: datetime) -> None:
    """Weigh every whole cycle that was not weighed yet, of every model.

    Parameters
    ----------
    session : Session
        A writing one.
    store : ArtifactStore
    now : datetime
    """
    rows = session.scalars(select(Monitor).with_for_update(skip_locked=True))
    for monitor in rows.all():
        settings = MonitorSettings.model_validate_json(monitor.settings)
        until = start_of(now - GRACE, settings.length)
        if settings.enabled and until > monitor.since:
            _weigh(session, store, monitor, settings, until)


def expire(session: Session, now: datetime) -> None:
    """Delete counts that are older than anybody looks back."""
    session.execute(delete(Bucket).where(Bucket.start < now - KEPT))


def _weigh(
    session: Session,
    store: ArtifactStore,
    monitor: Monitor,
    settings: MonitorSettings,
    until: datetime,
) -> None:
    versions = {
        row.id: row
        for row in session.scalars(
            select(ModelVersion).where(ModelVersion.model_id == monitor.model_id)
        )
    }
    buckets = session.scalars(
        select(Bucket).where(
            Bucket.version_id.in_(versions),
            Bucket.start >= monitor.since,
            Bucket.start < until,
        )
    )
    latched = _latched(session, monitor.model_id)
    state = dict(monitor.state)
    for (version_id, start), cycle in cycles(buckets, settings.length).items():
        row, end = versions[version_id], start + settings.length
        before = state.get(str(row.version), {})
        # Audits may be closed in a cycle that answers nothing: the next one has them.
        last = datetime.fromisoformat(before.get("until", monitor.since.isoformat()))
        audited = audited_between(session, row, last, end)
        weighed = _Weighing(settings, row, store, {**before, "until": end.isoformat()})
        weighed.add(start, cycle, audited, latched[row.version])
        state[str(row.version)] = weighed.state
        for kind in weighed.raised:
            latched[row.version].add(kind)
            session.add(
                Alarm(
                    model_id=monitor.model_id,
                    version=row.version,
                    kind=kind,
                    raised_at=end,
                    evidence=weighed.evidence(kind, cycle, audited),
                )
            )
    monitor.state, monitor.since = state, until


def _latched(session: Session, model_id: int) -> defaultdict[int, set[str]]:
    """Return the kinds of alarm that are on, by version."""
    latched: defaultdict[int, set[str]] = defaultdict(set)
    on = select(Alarm.version, Alarm.kind).where(
        Alarm.model_id == model_id, Alarm.acknowledged_at.is_(None)
    )
    for version, kind in session.execute(on):
        latched[version].add(kind)
    return latched


class _Weighing:
    """The detectors of one version, over one more cycle."""

    def __init__(
        self,
        settings: MonitorSettings,
        version: ModelVersion,
        store: ArtifactStore,
        state: Mapping[str, Any],
    ) -> None:
        self._settings, self._version, self._store = settings, version, store
        self.state = {"history": [], "detectors": {}, **state}
        self.state["detectors"] = dict(self.state["detectors"])
        self.raised: list[str] = []

    def add(
        self, start: datetime, cycle: Cycle, audited: Audited, latched: set[str]
    ) -> None:
        """Weigh a cycle; nothing is added to the evidence of what is latched."""
        summary = self._version.summary
        costs = four_numbers(summary.get("costs")) or {"none": 1.0}
        dearest = max(costs.values())
        sums = {
            "reject_rate": (float(cycle.rejected), cycle.rows),
            "expected_cost": (
                min(cycle.cost / dearest, float(cycle.priced)),
                cycle.priced,
            ),
            "error_positive": (float(audited.errors["+1"]), audited.rows["+1"]),
            "error_negative": (float(audited.errors["-1"]), audited.rows["-1"]),
        }
        evidence: dict[str, float | None] = {}
        for kind, limit in limits_of(self._settings.limits, summary).items():
            if kind not in latched:
                evidence[kind] = self._hold(kind, limit, *sums[kind])
        if "drift" not in latched:
            evidence["drift"] = self._drifted(start, cycle)
        self.state["history"] = [
            *self.state["history"][1 - HISTORY :],
            {"start": start.isoformat(), "log_evidence": evidence},
        ]

    def _hold(self, kind: str, limit: float, total: float, n: int) -> float | None:
        kept, patience = self.state["detectors"].get(kind), self._settings.patience
        detector = LimitDetector(limit, patience)
        if kept is not None and (kept["limit"], kept["patience"]) == (limit, patience):
            detector = LimitDetector.from_payload(kept)
        if n:
            detector = detector.add(total, n)
        self.state["detectors"][kind] = detector.payload()
        if detector.alarmed:
            self.raised.append(kind)
        return _finite(detector.log_evidence)

    def _drifted(self, start: datetime, cycle: Cycle) -> float | None:
        """Return the log of the evidence of both orders of cells, averaged."""
        kept = self.state["detectors"].get("drift")
        if kept is None:
            reference = self._reference()
            if reference is None:
                return None
            kept = {
                "by_cost": reference.by_cost.tolist(),
                "scores": self._fresh(reference.counts),
                "doubt": self._fresh(reference.counts[reference.by_cost]),
            }
        order = np.array(kept["by_cost"])
        bucket = np.zeros(len(order), dtype=np.int64)
        for cell, rows in cycle.cells.items():
            bucket[min(cell, len(order) - 1)] += rows
        draw = _generator(self._version.artifact_sha256, start)
        if bucket.sum() > MOST_CASES:
            bucket = draw.multivariate_hypergeometric(bucket, MOST_CASES)
        scores = DriftDetector.from_payload(kept["scores"])
        doubt = DriftDetector.from_payload(kept["doubt"])
        if bucket.any():
            scores, doubt = scores.add(bucket, draw), doubt.add(bucket[order], draw)
        evidence = float(np.logaddexp(scores.log_sum, doubt.log_sum) - np.log(2.0))
        self.state["detectors"]["drift"] = {
            "by_cost": kept["by_cost"],
            "scores": scores.payload(),
            "doubt": doubt.payload(),
        }
        if evidence >= np.log(self._settings.patience):
            self.raised.append("drift")
        return _finite(evidence)

    def _fresh(self, counts: Any) -> dict[str, Any]:
        return DriftDetector(counts, self._settings.patience).payload()

    def _reference(self) -> Reference | None:
        payload = self._store.read(self._version.artifact_sha256)
        if payload.get("evidence") is None:
            return None
        return reference_of(*with_evidence(payload))

    def evidence(self, kind: str, cycle: Cycle, audited: Audited) -> dict[str, Any]:
        """Return what an alarm tells of the cycle that raised it, and drop its past."""
        self.state["detectors"].pop(kind, None)
        figures: dict[str, Any] = {
            "log_evidence": self.state["history"][-1]["log_evidence"][kind],
            "patience": self._settings.patience,
            "cycle": self._settings.cycle,
            "rows": cycle.rows,
            "reject_rate": cycle.rejected / cycle.rows if cycle.rows else None,
            "expected_cost": cycle.cost / cycle.priced if cycle.priced else None,
        }
        if kind.startswith("error_"):
            called = "+1" if kind.endswith("positive") else "-1"
            figures |= {
                "audited": audited.rows[called],
                "errors": audited.errors[called],
            }
        limit = limits_of(self._settings.limits, self._version.summary).get(kind)
        if limit is not None and kind == "expected_cost":
            limit *= max(self._version.summary["costs"].values())
        return {**figures, "limit": limit}


def _generator(sha256: str, start: datetime) -> np.random.Generator:
    """Return draws that are the same whoever weighs this cycle."""
    seed = hashlib.sha256(f"{sha256} {start.isoformat()}".encode()).digest()
    return np.random.default_rng(list(seed))


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
