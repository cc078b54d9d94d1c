"""Answers kept for an ``Idempotency-Key``: what is sent twice is done once.

    INSERT INTO replays (key, body) ON CONFLICT DO NOTHING RETURNING key

A row comes back: the key is ours, and the answer is written beside it in the same
transaction as what it did. No row: the key came before. The statement waits for whoever
inserts the same key at this moment, so of two equal requests that arrive together one
is done and both get its answer; had the first failed, nothing of it is kept and the
second is done. Who asked (the API key) is part of the key.
"""

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.db.base import insert_into, utc_now
from app.db.tables import Replay
from app.errors import KeyReusedError, ServiceUnavailableError

__all__ = ["Repeatable", "keep", "kept_answer", "reserve"]

MOST_TRIES = 3


@dataclass(frozen=True, slots=True)
class Repeatable:
    """A request that may come again: digests of its key and of its body."""

    key_sha256: str
    body_sha256: str

    @classmethod
    def of(cls, sender: str, key: str, body: bytes, target: str = "") -> "Repeatable":
        """Return the digests of a request.

        Parameters
        ----------
        sender : str
            The ``Authorization`` header; two API keys never share an answer.
        key : str
            The ``Idempotency-Key`` header.
        body : bytes
        target : str
            What of the address is part of the request.
        """
        api_key = sender.partition(" ")[2].strip()
        whose = hashlib.sha256(api_key.encode()).hexdigest()
        return cls(
            hashlib.sha256(f"{whose}/{key}".encode()).hexdigest(),
            hashlib.sha256(target.encode() + body).hexdigest(),
        )


def kept_answer(session: Session, request: Repeatable) -> dict[str, Any] | None:
    """Return the answer that this request got before; None when it is new.

    Raises
    ------
    KeyReusedError
        When the key came with another body.
    """
    row = session.execute(
        select(Replay.body_sha256, Replay.answer).where(
            Replay.key_sha256 == request.key_sha256, Replay.expires_at > utc_now()
        )
    ).one_or_none()
    if row is None:
        return None
    if row.body_sha256 != request.body_sha256:
        raise KeyReusedError(KeyReusedError.example)
    answer: dict[str, Any] | None = row.answer
    return answer


def reserve(
    session: Session, request: Repeatable, hours: float
) -> dict[str, Any] | None:
    """Take the key for this transaction; return the kept answer if it is taken.

    Keys whose time is over are forgotten on the way.

    Raises
    ------
    KeyReusedError
        When the key came with another body.
    """
    session.execute(delete(Replay).where(Replay.expires_at <= utc_now()))
    for _ in range(MOST_TRIES):
        if _insert(session, request, hours):
            return None
        if (answer := kept_answer(session, request)) is not None:
            return answer
    msg = "another request with this Idempotency-Key is under way; try again"
    raise ServiceUnavailableError(msg)


def keep(
    session: Session, request: Repeatable, job_id: str | None, answer: dict[str, Any]
) -> None:
    """Write the answer beside the key that this transaction has reserved.

    ``job_id`` is the job that the answer speaks of, if it does of one.
    """
    session.execute(
        update(Replay)
        .where(Replay.key_sha256 == request.key_sha256)
        .values(job_id=job_id, answer=answer)
    )


def _insert(session: Session, request: Repeatable, hours: float) -> bool:
    inserted = session.scalar(
        insert_into(session, Replay)
        .values(
            key_sha256=request.key_sha256,
            body_sha256=request.body_sha256,
            expires_at=utc_now() + timedelta(hours=hours),
        )
        .on_conflict_do_nothing(index_elements=[Replay.key_sha256])
        .returning(Replay.key_sha256)
    )
    return inserted is not None
