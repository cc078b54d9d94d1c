"""Aliases move from version to version, at once and for everybody.

A move is one row written in one transaction that also reads what the gates need; two
moves of one alias at once happen one after the other (SQLite has one writer; on
PostgreSQL the model's row is locked).
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.artifacts.store import ArtifactStore
from app.db.base import utc_now
from app.db.tables import Alias, Model, ModelVersion
from app.errors import FieldError, InvalidRequestError, UnknownModelError
from app.models.gates import Candidate, Gates, check
from app.models.registry_schemas import AliasAnswer, AliasMoved, MoveAlias
from app.models.service import NAME, known_model, known_version
from app.monitor.service import alarms_on

__all__ = ["find", "listed", "move", "remove"]


def move(
    session: Session, store: ArtifactStore, name: str, alias: str, asked: MoveAlias
) -> AliasMoved:
    """Point an alias at a version, if the version passes the gates.

    Raises
    ------
    UnknownModelError
        When the version does not exist.
    InvalidRequestError
        When nothing can be called by this alias.
    GateFailedError
        When a bar is missed.
    """
    if not NAME.fullmatch(alias):
        detail = "an alias is letters, digits and . _ - (up to 100, no mark first)"
        raise InvalidRequestError(detail, [FieldError("/path/alias", detail)])
    if NAME.fullmatch(name):
        session.execute(select(Model.id).where(Model.name == name).with_for_update())
    new = known_version(session, name, asked.version)
    row = _row(session, name, alias)
    present = None if row is None else session.get_one(ModelVersion, row.version_id)
    gates = Gates(**asked.gates.model_dump())
    compared = gates.no_worse and present is not None and present.id != new.id
    on = alarms_on(session, new.model_id) if gates.no_alarm else []
    results = check(
        gates,
        _candidate(new, store if compared else None),
        None if present is None else _candidate(present, store if compared else None),
        [f"{kind} of version {version}" for _, version, kind in on],
    )
    if row is None:
        row = Alias(model_id=new.model_id, alias=alias)
        session.add(row)
    row.version_id, row.moved_at = new.id, utc_now()
    session.flush()
    return AliasMoved(
        alias=alias,
        model=name,
        version=new.version,
        moved_at=row.moved_at,
        previous_version=None if present is None else present.version,
        gates=results,
    )


def _candidate(row: ModelVersion, store: ArtifactStore | None) -> Candidate:
    holdout: Mapping[str, Any] | None = None
    if store is not None:
        evidence = store.read(row.artifact_sha256).get("evidence") or {}
        holdout = evidence.get("holdout")
    summary = row.summary
    return Candidate(
        row.version, summary.get("evaluation") or {}, summary.get("costs"), holdout
    )


def find(session: Session, name: str, alias: str) -> AliasAnswer:
    """Return where an alias points.

    Raises
    ------
    UnknownModelError
        When there is no such alias.
    """
    for known in listed(session, name):
        if known.alias == alias:
            return known
    msg = "no model of this name has such an alias"
    raise UnknownModelError(msg)


def listed(session: Session, name: str) -> list[AliasAnswer]:
    """Return the aliases of a model, by their names.

    Raises
    ------
    UnknownModelError
        When no version of that name exists.
    """
    model, _ = known_model(session, name)
    rows = session.execute(
        select(Alias.alias, ModelVersion.version, Alias.moved_at)
        .join(ModelVersion, ModelVersion.id == Alias.version_id)
        .where(Alias.model_id == model.id)
        .order_by(Alias.alias)
    )
    return [
        AliasAnswer(alias=alias, model=name, version=version, moved_at=moved_at)
        for alias, version, moved_at in rows
    ]


def remove(session: Session, name: str, alias: str) -> None:
    """Remove an alias; its version stays.

    Raises
    ------
    UnknownModelError
        When there is no such alias.
    """
    row = _row(session, name, alias)
    if row is None:
        msg = "no model of this name has such an alias"
        raise UnknownModelError(msg)
    session.execute(delete(Alias).where(Alias.id == row.id))


def _row(session: Session, name: str, alias: str) -> Alias | None:
    if not (NAME.fullmatch(name) and NAME.fullmatch(alias)):
        return None
    return session.scalar(
        select(Alias)
        .join(Model, Model.id == Alias.model_id)
        .where(Model.name == name, Alias.alias == alias)
    )
