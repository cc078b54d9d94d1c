"""How a version comes to be: its number, its row, and when everybody sees it."""

import time
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from app.artifacts.store import StoredArtifact
from app.db.base import insert_into
from app.db.tables import Model, ModelVersion
from app.models.catalogue import LEASE_S

__all__ = ["add_version", "wait_until_visible"]

_VISIBLE_AFTER_S = 1.5 * LEASE_S
"""Longer than an API process believes what it knows of a name."""


def wait_until_visible() -> None:
    """Return when every API process answers by what was committed before.

    Whoever changes what a name stands for commits, waits so, and only then says so.
    """
    time.sleep(_VISIBLE_AFTER_S)


def add_version(
    session: Session,
    name: str,
    summary: dict[str, Any],
    stored: StoredArtifact,
    job_id: str | None = None,
) -> int:
    """Add the next version of a model; return its number.

    Parameters
    ----------
    session : Session
        A writing one; others that add to the model wait until it ends.
    name : str
        The model comes to be with its first version.
    summary : dict
        The JSON facts.
    stored : StoredArtifact
        Complete on disk already.
    job_id : str, optional
        The training that made it.
    """
    model_id, number = _next_version(session, name)
    session.add(
        ModelVersion(
            model_id=model_id,
            version=number,
            job_id=job_id,
            summary=summary,
            artifact_sha256=stored.sha256,
            artifact_bytes=stored.size,
        )
    )
    return number


def _next_version(session: Session, name: str) -> tuple[int, int]:
    """Return the model's id and its next number."""
    insert = insert_into(session, Model).values(name=name, last_version=0)
    session.execute(insert.on_conflict_do_nothing())
    model_id, number = session.execute(
        update(Model)
        .where(Model.name == name)
        .values(last_version=Model.last_version + 1)
        .returning(Model.id, Model.last_version)
        .execution_options(synchronize_session=False)
    ).one()
    return model_id, number
