"""A model's monitor is set and told, and alarms are acknowledged."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil, log

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.artifacts.row_prices import price_columns
from app.db.base import utc_now
from app.db.monitor_tables import Alarm, Bucket, Monitor
from app.db.tables import Model, ModelVersion, Person
from app.errors import ConflictError, UnknownAlarmError
from app.models.service import known_model
from app.monitor.audits import audited_between
from app.monitor.counts import start_of
from app.monitor.reference import limits_of
from app.monitor.schemas import (
    Acknowledgement,
    AlarmAnswer,
    Audits,
    CycleAnswer,
    MonitorAnswer,
    MonitorRequest,
    WatchedVersion,
)
from app.monitor.settings import MonitorSettings
from app.monitor.watch import Cycle, cycles
from solvers.monitoring import LimitDetector, error_interval

__all__ = ["acknowledge", "alarms_on", "put", "tell"]

_PAST_ALARMS = 100
_CONFIDENCE = 0.975  # the two decisions together: 95 %


def put(session: Session, name: str, asked: MonitorRequest) -> None:
    """Set what is watched of a model; evidence of what did not change is kept.

    Raises
    ------
    UnknownModelError
        When the model has no version.
    ConflictError
        When somebody else has changed the settings since ``revision``, or a limit on
        costs is set where prices follow columns of the rows.
    """
    model, newest = known_model(session, name)
    columns = price_columns(newest.summary.get("costs"))
    if asked.limits.expected_cost is not None and columns:
        msg = (
            f"prices of version {newest.version} follow {' and '.join(columns)}, so no"
            " mean cost is too much by itself: leave the limit expected_cost out, and"
            " watch reject_rate, max_error and drift"
        )
        raise ConflictError(msg)
    session.execute(select(Model.id).where(Model.id == model.id).with_for_update())
    row = session.get(Monitor, model.id, populate_existing=True)
    present = 0 if row is None else row.revision
    if asked.revision is not None and asked.revision != present:
        msg = (
            f"the monitor is at revision {present}, not {asked.revision}: somebody else"
            f" has changed it; see GET /models/{name}/monitor"
        )
        raise ConflictError(msg)
    kept = asked.model_dump_json(by_alias=True, exclude={"revision"})
    settings = MonitorSettings.model_validate_json(kept)
    if row is None:
        since = start_of(utc_now(), settings.length)
        session.add(Monitor(model_id=model.id, settings=kept, since=since, state={}))
    else:
        row.settings, row.revision = kept, row.revision + 1
    session.flush()


def tell(session: Session, name: str, days: int) -> MonitorAnswer:
    """Return everything that the monitor of a model has to tell.

    Parameters
    ----------
    session : Session
    name : str
    days : int
        How far back counts are told.

    Raises
    ------
    UnknownModelError
        When the model has no version.
    """
    model, _ = known_model(session, name)
    row = session.get(Monitor, model.id)
    settings = MonitorSettings(enabled=False)
    if row is not None:
        settings = MonitorSettings.model_validate_json(row.settings)
    return MonitorAnswer(
        model=name,
        enabled=settings.enabled,
        limits=settings.limits,
        cycle=settings.cycle,
        false_alarm_days=settings.false_alarm_days,
        revision=0 if row is None else row.revision,
        watched_until=None if row is None else row.since,
        alarm_at=log(settings.patience),
        alarms=_alarms(session, model.id),
        versions=_versions(session, model.id, row, settings, days),
    )


def _alarms(session: Session, model_id: int) -> list[AlarmAnswer]:
    query = (
        select(Alarm, Person.name)
        .outerjoin(Person, Person.id == Alarm.person_id)
        .where(Alarm.model_id == model_id)
        .order_by(Alarm.acknowledged_at.is_not(None), Alarm.raised_at.desc())
        .limit(_PAST_ALARMS)
    )
    return [
        AlarmAnswer(
            id=alarm.id,
            version=alarm.version,
            kind=alarm.kind,
            raised_at=alarm.raised_at,
            evidence=alarm.evidence,
            acknowledged_at=alarm.acknowledged_at,
            acknowledged_by=person,
            note=alarm.note,
        )
        for alarm, person in session.execute(query)
    ]


def _versions(
    session: Session,
    model_id: int,
    monitor: Monitor | None,
    settings: MonitorSettings,
    days: int,
) -> list[WatchedVersion]:
    rows = session.scalars(
        select(ModelVersion).where(ModelVersion.model_id == model_id)
    ).all()
    known = {row.id: row for row in rows}
    since = utc_now() - timedelta(days=days)
    buckets = session.scalars(
        select(Bucket).where(Bucket.version_id.in_(known), Bucket.start >= since)
    )
    answered: dict[int, list[CycleAnswer]] = {}
    for (version_id, start), cycle in cycles(buckets, settings.length).items():
        answered.setdefault(version_id, []).append(_cycle(start, cycle))
    state = {} if monitor is None else monitor.state
    return [
        WatchedVersion(
            version=row.version,
            limits=_limits(row, settings),
            history=state.get(str(row.version), {}).get("history", []),
            cycles=answered[row.id],
            audits=_audits(session, row, settings, len(answered[row.id])),
        )
        for row in sorted(rows, key=lambda one: one.version)
        if row.id in answered
    ]


def _cycle(start: datetime, cycle: Cycle) -> CycleAnswer:
    return CycleAnswer(
        start=start,
        rows=cycle.rows,
        positive=cycle.positive,
        rejects=cycle.rejects,
        expected_cost=cycle.cost / cycle.priced if cycle.priced else None,
    )


def _limits(version: ModelVersion, settings: MonitorSettings) -> dict[str, float]:
    limits = limits_of(settings.limits, version.summary)
    if "expected_cost" in limits:
        limits["expected_cost"] *= max(version.summary["costs"].values())
    return limits


def _audits(
    session: Session, version: ModelVersion, settings: MonitorSettings, n_cycles: int
) -> dict[str, Audits]:
    audited, limits = audited_between(session, version), _limits(version, settings)
    audits = {}
    for called, word in (("+1", "positive"), ("-1", "negative")):
        rows, errors = audited.rows[called], audited.errors[called]
        limit = limits.get(f"error_{word}")
        audits[called] = Audits(
            rows=rows,
            errors=errors,
            interval=error_interval(rows, errors, _CONFIDENCE),
            limit=limit,
            doubling_found_after=None
            if limit is None
            else _found_after(limit, settings.patience, rows / n_cycles),
        )
    return audits


def _found_after(limit: float, patience: float, a_cycle: float) -> int | None:
    """Return the cycles until twice the limit alarms, were each as the mean of all.

    Beyond half the cycles to a false alarm there is nothing to be told: the sums of the
    detector grow by themselves.
    """
    if not a_cycle:
        return None
    detector, pace = LimitDetector(limit, patience), ceil(a_cycle)
    for step in range(1, int(patience / 2) + 1):
        detector = detector.add(min(2.0 * limit, 1.0) * pace, pace)
        if detector.alarmed:
            cycles = ceil(step * pace / a_cycle)
            return cycles if cycles <= patience / 2 else None
    return None


def acknowledge(
    session: Session, name: str, asked: Acknowledgement, person_id: str
) -> None:
    """Note that somebody has seen an alarm; its evidence begins anew.

    Raises
    ------
    UnknownModelError, UnknownAlarmError
        When there is no such model, or it has no such alarm.
    ConflictError
        When somebody has acknowledged it already.
    """
    model, _ = known_model(session, name)
    alarm = session.scalar(
        select(Alarm)
        .where(Alarm.id == asked.alarm, Alarm.model_id == model.id)
        .with_for_update()
    )
    if alarm is None:
        msg = f"the model has no such alarm; see GET /models/{name}/monitor"
        raise UnknownAlarmError(msg)
    if alarm.acknowledged_at is not None:
        msg = "somebody has acknowledged this alarm already"
        raise ConflictError(msg)
    alarm.acknowledged_at, alarm.note = utc_now(), asked.note
    alarm.person_id = person_id
    session.flush()


def alarms_on(
    session: Session, model_id: int | None = None
) -> Sequence[tuple[str, int, str]]:
    """Return model, version and kind of the alarms that are on."""
    query = (
        select(Model.name, Alarm.version, Alarm.kind)
        .join(Model, Model.id == Alarm.model_id)
        .where(Alarm.acknowledged_at.is_(None))
        .order_by(Model.name, Alarm.version, Alarm.kind)
    )
    if model_id is not None:
        query = query.where(Model.id == model_id)
    return [(name, version, kind) for name, version, kind in session.execute(query)]
