"""Machines that share a database share one store: a token in both says so.

A machine with another folder would find no model that the others have trained. The
first process writes a token into its store and into the database; every other one finds
the same token in both, or does not run.
"""

import os
import uuid
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from app.artifacts.store import ArtifactStore
from app.db.session import Database
from app.db.tables import ModelVersion, StoreToken

__all__ = ["TOKEN_FILE", "fault", "settle"]

TOKEN_FILE = "store-token"  # noqa: S105 - a file's name; what it holds is no secret
_OTHER = (
    "this machine's store is not the one that the database knows: have DEMUR_DATA_DIR"
    " name the folder that the other machines share, or DEMUR_DATABASE_URL a database"
    " of its own"
)


def fault(database: Database, store: ArtifactStore) -> str | None:
    """Return why the store is not the database's; None where it is, or none is known.

    Parameters
    ----------
    database : Database
    store : ArtifactStore
    """
    with database.read() as session:
        known = session.get(StoreToken, 1)
    return None if known is None or known.token == _held(store) else _OTHER


def settle(database: Database, store: ArtifactStore) -> str | None:
    """Make store and database one where neither knows another; return as `fault`.

    A database whose newest model is not in the store belongs to another store.

    Raises
    ------
    OSError
        When the store cannot be written.
    """
    try:
        with database.write() as session:
            if session.get(StoreToken, 1) is None:
                ids = select(ModelVersion.artifact_sha256).order_by(
                    ModelVersion.id.desc()
                )
                newest = session.scalars(ids.limit(1)).first()
                if newest is not None and not store.path(newest).exists():
                    return _OTHER
                session.add(StoreToken(id=1, token=_token_of(store)))
    except IntegrityError:
        pass  # another process was first
    return fault(database, store)


def _place(store: ArtifactStore) -> Path:
    """Return where the token is: beside the artifacts, which are named by digests."""
    return store.root.parent / TOKEN_FILE


def _held(store: ArtifactStore) -> str | None:
    try:
        return _place(store).read_text("ascii")
    except FileNotFoundError:
        return None


def _token_of(store: ArtifactStore) -> str:
    """Return the token of a store; it appears whole, and whose is first stays."""
    place, token = _place(store), str(uuid.uuid4())
    place.parent.mkdir(parents=True, exist_ok=True)
    staged = place.with_name(f".{token}")
    staged.write_text(token, "ascii")
    try:
        os.link(staged, place)
    except FileExistsError:
        return place.read_text("ascii")
    finally:
        staged.unlink()
    return token
