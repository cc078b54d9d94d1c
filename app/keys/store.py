"""The SQL of keys."""

from dataclasses import dataclass

from sqlalchemy import func, select, tuple_, update
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.tables import ApiKey, Person
from app.keys.scopes import stored
from app.keys.secret import KnownKey

__all__ = ["Issued", "add", "get", "issued", "page", "revoke"]


@dataclass(frozen=True, slots=True)
class Issued:
    """The keys of the database that are valid, and whether there ever was one."""

    keys: tuple[KnownKey, ...]
    ever: bool


def issued(session: Session) -> Issued:
    """Return what the database has of keys."""
    ever = session.scalar(select(func.count()).select_from(ApiKey)) or 0
    rows = session.execute(
        select(ApiKey.sha256, ApiKey.scopes, ApiKey.person_id)
        .outerjoin(Person, Person.id == ApiKey.person_id)
        .where(ApiKey.revoked_at.is_(None), Person.active.is_not(False))
    )
    keys = (
        KnownKey(bytes.fromhex(sha256), stored(scopes), person)
        for sha256, scopes, person in rows
    )
    return Issued(tuple(keys), ever > 0)


def add(
    session: Session, name: str, scopes: str, sha256: str, person_id: str | None
) -> ApiKey:
    """Keep a key's digest."""
    row = ApiKey(name=name, scopes=scopes, sha256=sha256, person_id=person_id)
    session.add(row)
    session.flush()
    return row


def get(session: Session, key_id: str) -> ApiKey | None:
    """Return the key of this id, revoked or not."""
    return session.get(ApiKey, key_id)


def page(session: Session, *, limit: int, before: str | None) -> list[ApiKey]:
    """Return keys, newest first; ``before`` is the id that the last page ended with."""
    query = select(ApiKey).order_by(ApiKey.created_at.desc(), ApiKey.id.desc())
    if before is not None:
        last = session.get(ApiKey, before)
        if last is None:
            return []
        mark = tuple_(ApiKey.created_at, ApiKey.id)
        query = query.where(mark < tuple_(last.created_at, last.id))
    return list(session.scalars(query.limit(limit)))


def revoke(session: Session, key_id: str) -> bool:
    """Revoke a key for good; tell whether it was valid until now."""
    done = session.execute(
        update(ApiKey)
        .where(ApiKey.id == key_id, ApiKey.revoked_at.is_(None))
        .values(revoked_at=utc_now())
        .returning(ApiKey.id)
        .execution_options(synchronize_session=False)
    )
    return done.first() is not None
