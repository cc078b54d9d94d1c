"""The SQL that opens cases: each once, also where two requests bring one reference.

    INSERT INTO cases ... ON CONFLICT DO NOTHING RETURNING id

What does not come back was open already, under its reference or (a job is at it again)
its own id; it is looked up. Another transaction that
inserts the same reference at this moment is waited for. Rows go in by one order, so
that no two of such transactions wait for each other.
"""

from collections.abc import Sequence
from datetime import timedelta
from random import random
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from app.db.base import insert_into, utc_now
from app.db.review_tables import NEVER, Case, Opinion
from app.db.tables import new_id
from app.errors import ServiceUnavailableError
from app.reviews.new_case import NewCase

__all__ = ["open_cases", "opinion"]

_TRIES = 3
Key = tuple[int, str]


def open_cases(session: Session, cases: Sequence[NewCase]) -> dict[str, str]:
    """Open cases; return the id of the one that there is for each that is not new.

    Parameters
    ----------
    session : Session
        A writing one.
    cases : sequence of NewCase

    Raises
    ------
    ServiceUnavailableError
        When open cases of the same references come and go meanwhile.
    """
    moved: dict[str, str] = {}
    first: dict[Key, str] = {}
    waiting: list[NewCase] = []
    for case in sorted(cases, key=_order):
        key = _key(case)
        if key is not None and key in first:
            moved[case.id] = first[key]
        else:
            waiting.append(case)
            if key is not None:
                first[key] = case.id
    for _ in range(_TRIES):
        inserted = _insert(session, waiting)
        waiting = [case for case in waiting if case.id not in inserted]
        if not waiting:
            break
        known = _open(session, waiting)
        own = select(Case.id).where(Case.id.in_([case.id for case in waiting]))
        moved.update((case_id, case_id) for case_id in session.scalars(own))
        for case in waiting:
            if (there := known.get(_key(case))) is not None:
                moved[case.id] = there
        waiting = [case for case in waiting if case.id not in moved]
    if waiting:
        msg = "cases of the same references are being opened and closed; try again"
        raise ServiceUnavailableError(msg)
    # One that was the first of its reference here may have been open before.
    return {own: moved.get(there, there) for own, there in moved.items()}


def _key(case: NewCase) -> Key | None:
    if case.reference is None:
        return None
    return case.origin.terms.model_id, case.reference


def _order(case: NewCase) -> tuple[int, str]:
    return case.origin.terms.model_id, case.reference or ""


def _insert(session: Session, cases: Sequence[NewCase]) -> set[str]:
    if not cases:
        return set()
    rows = {case.id: _row(case) for case in cases}
    statement = insert_into(session, Case).on_conflict_do_nothing().returning(Case.id)
    inserted = set(session.scalars(statement, list(rows.values())))
    opinions = [
        opinion(rows[case.id])
        for case in cases
        if case.id in inserted
        for _ in range(rows[case.id]["wanted"])
    ]
    if opinions:
        session.execute(insert(Opinion), opinions)
    return inserted


def _open(session: Session, cases: Sequence[NewCase]) -> dict[Key | None, str]:
    rows = session.execute(
        select(Case.model_id, Case.open_reference, Case.id).where(
            Case.model_id.in_({case.origin.terms.model_id for case in cases}),
            Case.open_reference.in_([case.reference for case in cases]),
        )
    )
    return {
        (model_id, reference): case_id
        for model_id, reference, case_id in rows
        if reference is not None
    }


def _row(case: NewCase) -> dict[str, Any]:
    origin, opened_at = case.origin, utc_now()
    due_at, minutes = case.due_at, origin.terms.due_minutes
    if due_at is None and minutes is not None:
        due_at = opened_at + timedelta(minutes=minutes)
    second = random() < origin.terms.second_share  # noqa: S311 - no secret
    return {
        "id": case.id,
        "model_id": origin.terms.model_id,
        "version": origin.version,
        "reference": case.reference,
        "open_reference": case.reference,
        "reason": case.reason,
        "decision": case.decision,
        "inclusion": case.inclusion,
        "score": case.score,
        "probability": case.probability,
        "would_be": case.would_be,
        "labels": origin.labels,
        "costs": case.costs,
        "features": case.features,
        "saving": case.saving,
        "wanted": 2 if second else 1,
        "opened_at": opened_at,
        "due_at": due_at,
    }


def opinion(case: dict[str, Any]) -> dict[str, Any]:
    """Return the row of an opinion that is wanted on a case, given as its row."""
    return {
        "id": new_id(),
        "case_id": case["id"],
        "model_id": case["model_id"],
        "rank": -case["saving"],
        "opened_at": case["opened_at"],
        "due_at": case["due_at"] or NEVER,
        "draw": random(),  # noqa: S311 - an order, no secret
    }
