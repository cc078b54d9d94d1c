"""Models at a glance: which version answers for each, and what of it waits for people.

A fixed number of queries for any number of models.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import case, func, select, tuple_
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.review_tables import Case
from app.db.states import OPEN
from app.db.tables import Alias, Model, ModelVersion
from app.monitor.service import alarms_on

__all__ = ["CHAMPION", "Overview", "overviews"]

CHAMPION = "champion"
"""The alias of the version that is meant to answer; without it the newest stands."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A model: its champion (or newest version), its queue and its alarms."""

    name: str
    version: int
    champion: bool
    created_at: datetime
    summary: dict[str, Any]
    waiting: int
    overdue: int
    alarms: tuple[tuple[int, str], ...]
    """Version and kind of each that is on."""


def overviews(session: Session, names: Sequence[str]) -> list[Overview]:
    """Return these models in the order of their names here; unknown ones are left out.

    Parameters
    ----------
    session : Session
    names : sequence of str
    """
    ids = dict(
        session.execute(select(Model.name, Model.id).where(Model.name.in_(names))).all()
    )
    meant = select(Alias.version_id).where(
        Alias.model_id.in_(ids.values()), Alias.alias == CHAMPION
    )
    champions = _versions(session, ModelVersion.id.in_(meant))
    newest = (
        select(ModelVersion.model_id, func.max(ModelVersion.version))
        .where(ModelVersion.model_id.in_(set(ids.values()) - set(champions)))
        .group_by(ModelVersion.model_id)
    )
    others = _versions(
        session, tuple_(ModelVersion.model_id, ModelVersion.version).in_(newest)
    )
    queues, on = _queues(session, list(ids.values())), alarms_on(session)
    shown = champions | others
    return [
        Overview(
            name=name,
            version=shown[ids[name]].version,
            champion=ids[name] in champions,
            created_at=shown[ids[name]].created_at,
            summary=shown[ids[name]].summary,
            waiting=queues.get(ids[name], (0, 0))[0],
            overdue=queues.get(ids[name], (0, 0))[1],
            alarms=tuple((version, kind) for of, version, kind in on if of == name),
        )
        for name in names
        if ids.get(name) in shown
    ]


def _versions(session: Session, which: Any) -> dict[int, ModelVersion]:
    rows = session.scalars(select(ModelVersion).where(which))
    return {row.model_id: row for row in rows}


def _queues(session: Session, ids: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return how many cases of each model wait, and how many of them are overdue."""
    late = func.sum(case((Case.due_at < utc_now(), 1), else_=0))
    rows = session.execute(
        select(Case.model_id, func.count(), late)
        .where(Case.model_id.in_(ids), Case.state.in_(OPEN))
        .group_by(Case.model_id)
    )
    return {model: (waiting, int(overdue)) for model, waiting, overdue in rows}
