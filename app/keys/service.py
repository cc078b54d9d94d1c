"""Keys are issued, listed and revoked."""

import re
from collections.abc import Collection

from sqlalchemy.orm import Session

from app.db.tables import ApiKey
from app.errors import UnknownKeyError
from app.keys import people, store
from app.keys.schemas import IssuedKey, KeyAnswer, KeysAnswer, KeysQuery
from app.keys.scopes import SCOPES, Scope, stored
from app.keys.secret import digest, new_key

__all__ = ["issue", "page", "revoke"]

KEY_ID = re.compile(r"[0-9a-f-]{36}")


def issue(
    session: Session, name: str, scopes: Collection[Scope], person: str | None = None
) -> IssuedKey:
    """Make a key; only its digest is kept.

    Parameters
    ----------
    session : Session
    name : str
    scopes : collection of scopes
    person : str, optional
        Whose it is, by name; of a key that reviews, its own name if nobody's.
    """
    key = new_key()
    whose = person or (name if "review" in scopes else None)
    person_id = None if whose is None else people.take_in(session, whose)
    held = " ".join(scope for scope in SCOPES if scope in scopes)
    row = store.add(session, name, held, digest(key.encode()).hex(), person_id)
    return IssuedKey(**_key_answer(session, row).model_dump(), key=key)


def _key_answer(session: Session, row: ApiKey) -> KeyAnswer:
    person = None if row.person_id is None else people.name_of(session, row.person_id)
    return KeyAnswer(
        id=row.id,
        name=row.name,
        scopes=list(stored(row.scopes)),
        person=person,
        created_at=row.created_at,
        revoked_at=row.revoked_at,
    )


def page(session: Session, query: KeysQuery) -> KeysAnswer:
    """Return one page of keys, newest first, revoked ones too."""
    rows = store.page(session, limit=query.limit + 1, before=query.before)
    shown = rows[: query.limit]
    return KeysAnswer(
        keys=[_key_answer(session, row) for row in shown],
        next=shown[-1].id if len(rows) > len(shown) else None,
    )


def revoke(session: Session, key_id: str) -> KeyAnswer:
    """Revoke a key; one that was revoked already stays as it is.

    Raises
    ------
    UnknownKeyError
        When there is no such key.
    """
    row = None
    if KEY_ID.fullmatch(key_id):
        store.revoke(session, key_id)
        row = store.get(session, key_id)
    if row is None:
        msg = "no issued key has this id; see GET /keys"
        raise UnknownKeyError(msg)
    return _key_answer(session, row)
