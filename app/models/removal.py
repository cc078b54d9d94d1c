"""Versions go, and with the last that uses it, their file.

A model whose versions are all gone is not listed any more; its row stays, so that no
number of its versions is ever used twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.artifacts.store import ArtifactStore
from app.db.states import FINISHED
from app.db.tables import Alias, Job, Model, ModelVersion
from app.errors import ConflictError, UnknownModelError
from app.models.service import NAME, known_version
from app.reviews import policies

__all__ = ["Gone", "remove_file", "remove_model", "remove_version"]


@dataclass(frozen=True, slots=True)
class Gone:
    """A version that is gone: its file's digest, and when it had been made."""

    version: int
    sha256: str
    made_s: float


def remove_version(session: Session, name: str, number: int) -> list[Gone]:
    """Delete one version.

    Raises
    ------
    UnknownModelError
        When it does not exist.
    ConflictError
        While an alias points at it or the job that made it has not ended.
    """
    row = known_version(session, name, number)
    return _remove(session, [row])


def remove_model(session: Session, name: str) -> list[Gone]:
    """Delete all versions of a model, and what is said of it.

    Raises
    ------
    UnknownModelError
        When it has none.
    ConflictError
        While an alias points at one, a job trains another, or cases are open.
    """
    rows = []
    if NAME.fullmatch(name):
        rows = list(
            session.scalars(
                select(ModelVersion)
                .join(Model, Model.id == ModelVersion.model_id)
                .where(Model.name == name)
            )
        )
    if not rows:
        msg = "no model has this name; see GET /models"
        raise UnknownModelError(msg)
    waiting = select(Job.id).where(Job.model == name, Job.status.not_in(FINISHED))
    if session.scalar(waiting.limit(1)) is not None:
        msg = "a job of this model has not ended: cancel it, or wait for its end"
        raise ConflictError(msg)
    policies.require_none_open(session, rows[0].model_id, f"/models/{name}")
    policies.drop(session, rows[0].model_id)
    gone = _remove(session, rows)
    session.execute(
        update(Model).where(Model.name == name).values(description="", tags={})
    )
    return gone


def _remove(session: Session, rows: Iterable[ModelVersion]) -> list[Gone]:
    ids = {row.id: row for row in rows}
    alias = session.execute(
        select(Alias.alias, Alias.version_id).where(Alias.version_id.in_(ids)).limit(1)
    ).one_or_none()
    if alias is not None:
        msg = (
            f"the alias {alias.alias} points at version"
            f" {ids[alias.version_id].version}: move or delete it first"
        )
        raise ConflictError(msg)
    jobs = [row.job_id for row in ids.values() if row.job_id is not None]
    unfinished = select(Job.id).where(Job.id.in_(jobs), Job.status.not_in(FINISHED))
    if session.scalar(unfinished.limit(1)) is not None:
        msg = "the job that made this version has not ended yet; try again in a second"
        raise ConflictError(msg)
    gone = [
        Gone(row.version, row.artifact_sha256, row.created_at.timestamp())
        for row in ids.values()
    ]
    session.execute(delete(ModelVersion).where(ModelVersion.id.in_(ids)))
    return gone


def remove_file(session: Session, store: ArtifactStore, gone: Gone) -> None:
    """Remove a file that no version uses; a fresh one of the same content stays.

    A training that made the same model again may have written the file anew and not
    yet its version: the sweep of the worker takes what nobody names an hour later.
    """
    used = select(ModelVersion.id).where(ModelVersion.artifact_sha256 == gone.sha256)
    if session.scalar(used.limit(1)) is not None:
        return
    file = store.find(gone.sha256)
    if file is not None and file.written_s <= gone.made_s:
        store.delete(gone.sha256)
