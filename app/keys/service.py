"""Keys are issued, listed and revoked."""

import re

from sqlalchemy.orm import Session

from app.errors import UnknownKeyError
from app.keys import store
from app.keys.schemas import IssuedKey, KeyAnswer, KeysAnswer, KeysQuery
from app.keys.scopes import Scope
from app.keys.secret import digest, new_key

__all__ = ["issue", "page", "revoke"]

KEY_ID = re.compile(r"[0-9a-f-]{36}")


def issue(session: Session, name: str, scope: Scope) -> IssuedKey:
    """Make a key; only its digest is kept."""
    key = new_key()
    row = store.add(session, name, scope, digest(key.encode()).hex())
    told = KeyAnswer.model_validate(row)
    return IssuedKey(**told.model_dump(), key=key)


def page(session: Session, query: KeysQuery) -> KeysAnswer:
    """Return one page of keys, newest first, revoked ones too."""
    rows = store.page(session, limit=query.limit + 1, before=query.before)
    shown = rows[: query.limit]
    return KeysAnswer(
        keys=[KeyAnswer.model_validate(row) for row in shown],
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
    return KeyAnswer.model_validate(row)
