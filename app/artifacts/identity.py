"""Machines that share a database share one store: a token in both says so.

A machine with another folder would find no model that the others have trained. The
first process writes a token into its store and into the database; every other one finds
the same token in both, or does not run.
"""

import uuid

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from app.artifacts.store import ArtifactStore
from app.blobs.interface import Remote
from app.blobs.opening import open_blobs
from app.db.session import Database
from app.db.tables import ModelVersion, StoreToken

__all__ = ["TOKEN_FILE", "fault", "settle"]

TOKEN_FILE = "store-token"  # noqa: S105 - a file's name; what it holds is no secret
_OTHER = (
    "this machine's store is not the one that the database knows: have DEMUR_DATA_DIR"
    " (or DEMUR_STORE) name the folder or the store that the other machines share, or"
    " DEMUR_DATABASE_URL a database of its own"
)
_ANOTHERS = (
    "DEMUR_STORE holds models of another database: name a prefix that nobody uses"
)


class _AnothersError(Exception):
    """Rolls back what a database would know of another one's store."""


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

    A database whose newest model is not in the store belongs to another store, and an
    object store with models and a token to another database.

    Raises
    ------
    OSError
        When the store cannot be written, or does not answer.
    """
    try:
        with database.write() as session:
            if session.get(StoreToken, 1) is None:
                ids = select(ModelVersion.artifact_sha256).order_by(
                    ModelVersion.id.desc()
                )
                newest = session.scalars(ids.limit(1)).first()
                if newest is not None and store.find(newest) is None:
                    return _OTHER
                row = StoreToken(id=1, token=str(uuid.uuid4()))
                session.add(row)
                session.flush()  # others wait here, until they find it
                if newest is None:
                    _refuse_anothers(store)
                row.token = _token_of(store, row.token)
    except IntegrityError:
        pass  # another process was first
    except _AnothersError:
        return _ANOTHERS
    return fault(database, store)


def _refuse_anothers(store: ArtifactStore) -> None:
    """Keep this database's sweeps from what another one knows."""
    if isinstance(store.place, Remote) and _held(store) is not None:
        for _ in store.blobs.list():
            raise _AnothersError


def _held(store: ArtifactStore) -> str | None:
    """Return the token, which is beside the artifacts: these are named by digests."""
    try:
        return open_blobs(store.place.parent).read(TOKEN_FILE).decode("ascii")
    except FileNotFoundError:
        return None


def _token_of(store: ArtifactStore, token: str) -> str:
    """Return the token of a store; it appears whole, and whose is first stays."""
    if open_blobs(store.place.parent).claim(TOKEN_FILE, token.encode("ascii")):
        return token
    return _held(store) or token
