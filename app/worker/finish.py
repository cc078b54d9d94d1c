"""Ending a job, or giving it back: each one transaction, none by a worker that lost it.

Every UPDATE names the holder and its attempt. A worker that was taken for dead and was
not changes nothing any more.

A success takes two steps. First the version appears (``publish``); a moment later,
when every API process has seen it, the job says so (``succeed``). Whoever reads
"succeeded" is then answered by that version or a newer one. Killed between the two, the
job is found ``running`` with a version of its own, and recovery completes it.
"""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, select, update
from sqlalchemy.orm import Session

from app.artifacts.store import StoredArtifact
from app.db.base import insert_into, utc_now
from app.db.search_tables import SearchFigures
from app.db.states import JobStatus
from app.db.tables import Job, JobInput, ModelVersion
from app.models.publication import add_version
from app.worker.claim import Claim
from app.worker.messages import Done, Kept

__all__ = [
    "cancel",
    "decided",
    "fail",
    "free",
    "give_back",
    "held_job",
    "keep",
    "note_progress",
    "publish",
    "succeed",
]


def _held(claim: Claim) -> ColumnElement[bool]:
    return and_(
        Job.id == claim.job_id,
        Job.status == JobStatus.RUNNING,
        Job.worker_id == claim.worker_id,
        Job.attempts == claim.attempt,
    )


def free(session: Session, claims: Iterable[Claim]) -> set[str]:
    """Take the jobs among these that no other transaction holds; return their ids."""
    ours = select(Job.id).where(Job.id.in_([claim.job_id for claim in claims]))
    return set(session.scalars(ours.with_for_update(skip_locked=True)))


def _move(session: Session, claim: Claim, **values: Any) -> bool:
    """Change the job if this claim still holds it; tell whether it does."""
    moved = session.scalar(
        update(Job)
        .where(_held(claim))
        .values(**values)
        .returning(Job.id)
        .execution_options(synchronize_session=False)
    )
    return moved is not None


def _end(session: Session, claim: Claim, status: JobStatus, **values: Any) -> bool:
    values = {"progress_message": status.value, **values}
    ended = _move(
        session, claim, status=status, worker_id=None, finished_at=utc_now(), **values
    )
    if ended:
        for left in (JobInput, SearchFigures):
            session.execute(delete(left).where(left.job_id == claim.job_id))
    return ended


def publish(session: Session, claim: Claim, done: Done) -> int | None:
    """Make the trained version visible; return its number.

    The same number as before when it is asked again. None when the job is no longer
    held, or was cancelled meanwhile: then nothing appears, and the latter is ended.
    """
    job = session.scalar(select(Job).where(_held(claim)).with_for_update())
    if job is None:
        return None
    existing = select(ModelVersion.version).where(ModelVersion.job_id == claim.job_id)
    if (version := session.scalar(existing)) is not None:
        return version
    if job.cancel_requested:
        cancel(session, claim)
        return None
    stored = StoredArtifact(done.sha256, done.size)
    return add_version(session, claim.model, done.summary, stored, claim.job_id)


def succeed(session: Session, claim: Claim, version: int) -> bool:
    """Say that the job has made ``version``, and how the candidates of a search did."""
    made = select(ModelVersion.summary).where(ModelVersion.job_id == claim.job_id)
    searched = (session.scalar(made) or {}).get("search")
    return _end(
        session,
        claim,
        JobStatus.SUCCEEDED,
        progress_fraction=1.0,
        result={
            "model": claim.model,
            "version": version,
            **({} if searched is None else {"search": searched}),
        },
    )


def held_job(session: Session, claim: Claim) -> Job | None:
    """Take the row of a job; None when the claim no longer holds it."""
    return session.scalar(select(Job).where(_held(claim)).with_for_update())


def decided(session: Session, claim: Claim, result: dict[str, Any]) -> bool:
    """Say that a part, or all of a job, has decided its rows."""
    return _end(
        session, claim, JobStatus.SUCCEEDED, progress_fraction=1.0, result=result
    )


def fail(session: Session, claim: Claim, problem: dict[str, Any]) -> bool:
    """End the job with a problem."""
    return _end(session, claim, JobStatus.FAILED, error=problem)


def cancel(session: Session, claim: Claim) -> bool:
    """End the job as cancelled."""
    return _end(session, claim, JobStatus.CANCELLED)


def give_back(session: Session, claim: Claim, reason: str, *, counts: bool) -> bool:
    """Queue the job again; ``counts`` tells whether this attempt does."""
    return _move(
        session,
        claim,
        status=JobStatus.QUEUED,
        worker_id=None,
        started_at=None,
        attempts=claim.attempt if counts else claim.attempt - 1,
        progress_fraction=0.0,
        progress_message=reason,
    )


def keep(session: Session, claim: Claim, figures: Iterable[Kept]) -> None:
    """Write down what candidates of a search did, if the job is still held."""
    if held_job(session, claim) is None:
        return
    rows = [
        {"job_id": claim.job_id, "digest": one.digest, "figures": one.figures}
        for one in figures
    ]
    statement = insert_into(session, SearchFigures).on_conflict_do_nothing()
    session.execute(statement, rows)


def note_progress(
    session: Session, claim: Claim, fraction: float, message: str
) -> bool:
    """Write down how far the job is; tell whether it is still held."""
    return _move(session, claim, progress_fraction=fraction, progress_message=message)
