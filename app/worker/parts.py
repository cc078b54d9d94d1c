"""Jobs in parts: made when a job is planned, looked at until all of them have ended.

The worker that holds such a job needs no process for it. Any worker takes its parts,
which are jobs of their own: claimed, beaten for, given back and tried again as others
are. When all have succeeded the manifest is written, and the job says so. A worker that
stops or dies leaves the parts as they stand: who claims the job next goes on there.
"""

from typing import Any

import msgspec
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.blobs.opening import open_blobs
from app.db.session import Database
from app.db.states import JobKind, JobStatus
from app.db.tables import Job, JobInput
from app.jobs.queries import end_parts
from app.score.places import place_at
from app.score.schemas import Shard, Source
from app.settings import Settings
from app.worker import finish
from app.worker.claim import Claim

__all__ = ["MANIFEST", "attend", "attend_all", "divide", "is_divided"]

MANIFEST = "manifest.json"
_BEHIND = 1
"""Parts come after trainings of the same priority: a long job holds nobody up."""


def is_divided(session: Session, job_id: str) -> bool:
    """Tell whether a job has its parts."""
    part = select(Job.id).where(Job.parent_id == job_id)
    return session.scalar(part.limit(1)) is not None


def divide(session: Session, held: Claim, shards: list[Shard]) -> bool:
    """Make the parts of a job that is still held; tell whether it is."""
    job = finish.held_job(session, held)
    if job is None:
        return False
    if is_divided(session, job.id):
        return True
    source = msgspec.json.decode(held.body, type=Source)
    for shard in shards:
        part = Job(
            kind=JobKind.SHARD,
            parent_id=job.id,
            model=job.model,
            priority=job.priority - _BEHIND,
            max_seconds=job.max_seconds,
        )
        session.add(part)
        session.flush()
        part_source = msgspec.structs.replace(source, job=job.id, shard=shard)
        session.add(JobInput(job_id=part.id, body=msgspec.json.encode(part_source)))
    finish.note_progress(session, held, 0.0, f"0 of {len(shards)} parts")
    return True


def attend(database: Database, settings: Settings, held: Claim) -> bool:
    """Look after a divided job; tell whether it is over, or no longer held.

    Raises
    ------
    OSError
        When the manifest cannot be written; ask again later.
    """
    with database.write() as session:
        job = finish.held_job(session, held)
        if job is None:
            return True
        counts, done, faults = _standing(session, job.id)
        if job.cancel_requested or faults:
            end_parts(session, job.id)
            if counts.get(JobStatus.RUNNING):
                return False
            if job.cancel_requested:
                return finish.cancel(session, held)
            return finish.fail(session, held, faults[0])
        every = sum(counts.values())
        finished = counts.get(JobStatus.SUCCEEDED, 0)
        if finished < every:
            message = f"{finished} of {every} parts"
            finish.note_progress(session, held, done / every, message)
            return False
        results = _results(session, job.id)
    source = msgspec.json.decode(held.body, type=Source)
    manifest = {
        "job": held.job_id,
        "model": source.model,
        "version": source.version,
        "artifact_sha256": source.sha256,
        "dataset": source.dataset,
        "url": source.url,
        "rows": sum(one["rows"] for one in results),
        "rejected": sum(one["rejected"] for one in results),
        "parts": results,
    }
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    open_blobs(place_at(settings, source.target)).put(MANIFEST, text)
    with database.write() as session:
        finish.decided(
            session,
            held,
            {
                "model": source.model,
                "version": source.version,
                "rows": manifest["rows"],
                "rejected": manifest["rejected"],
                "parts": len(results),
                "target": source.target,
            },
        )
    return True


def attend_all(database: Database, settings: Settings, divided: list[Claim]) -> None:
    """Look after each of these, in place, until it is over."""
    for held in list(divided):
        if attend(database, settings, held):
            divided.remove(held)


def _standing(
    session: Session, job_id: str
) -> tuple[dict[str, int], float, list[dict[str, Any]]]:
    """Return how many parts stand where, how much is done, and what was wrong."""
    rows = session.execute(
        select(Job.status, func.count(), func.sum(Job.progress_fraction))
        .where(Job.parent_id == job_id)
        .group_by(Job.status)
    ).all()
    faults = session.scalars(
        select(Job.error)
        .where(Job.parent_id == job_id, Job.status == JobStatus.FAILED)
        .order_by(Job.finished_at)
        .limit(1)
    )
    counts = {status: count for status, count, _ in rows}
    done = sum(float(share or 0.0) for _, _, share in rows)
    return counts, done, [error for error in faults if error is not None]


def _results(session: Session, job_id: str) -> list[dict[str, Any]]:
    results = session.scalars(select(Job.result).where(Job.parent_id == job_id))
    known = [result for result in results if result is not None]
    return sorted(known, key=lambda result: str(result["part"]))
