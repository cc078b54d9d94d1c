"""Sessions of the page: a key that was typed once opens ``/ui`` for a while.

A session is 256 random bits in a cookie. Its row holds two digests, of the token, and
of the token with the key's digest: neither tells anything of the key, and which key it
was is found by trying those that are valid now. So a session opens what its key opens,
is its key's person, and ends with it. It also ends after ``IDLE`` without a page, and
after ``LONGEST`` in any case.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy import delete, or_
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.tables import PageSession
from app.keys.secret import KnownKey

__all__ = ["IDLE", "LONGEST", "begin", "end", "holder", "is_due", "touch"]

IDLE = timedelta(minutes=30)
LONGEST = timedelta(hours=8)
_TOUCH = timedelta(minutes=1)
"""A session is noted as used no more often than that."""


def begin(session: Session, key: KnownKey) -> str:
    """Begin a session of a key and return its token; those that ended are forgotten."""
    now, token = utc_now(), secrets.token_urlsafe(32)
    session.execute(
        delete(PageSession).where(
            or_(PageSession.seen_at < now - IDLE, PageSession.began_at < now - LONGEST)
        )
    )
    row = PageSession(sha256=_digest(token), grant=_grant(token, key), began_at=now)
    row.seen_at = now
    session.add(row)
    return token


def holder(
    session: Session, token: str, keys: Iterable[KnownKey]
) -> tuple[KnownKey, PageSession] | None:
    """Return the key of a session that goes on, with its row; else None.

    Parameters
    ----------
    session : Session
    token : str
        What the cookie holds.
    keys : iterable of KnownKey
        Those that are valid now.
    """
    row, now = session.get(PageSession, _digest(token)), utc_now()
    if row is None or row.seen_at < now - IDLE or row.began_at < now - LONGEST:
        return None
    for key in keys:
        if hmac.compare_digest(_grant(token, key), row.grant):
            return key, row
    return None


def is_due(row: PageSession) -> bool:
    """Tell whether it has to be noted that a session is in use."""
    return row.seen_at < utc_now() - _TOUCH


def touch(session: Session, token: str) -> None:
    """Note that a session is in use."""
    row = session.get(PageSession, _digest(token))
    if row is not None:
        row.seen_at = utc_now()


def end(session: Session, token: str) -> None:
    """End a session."""
    session.execute(delete(PageSession).where(PageSession.sha256 == _digest(token)))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _grant(token: str, key: KnownKey) -> str:
    return hashlib.sha256(token.encode() + key.digest).hexdigest()
