"""The SQL of data sets."""

from sqlalchemy import delete, func, select, tuple_
from sqlalchemy.orm import Session

from app.db.states import JobStatus
from app.db.tables import Dataset, DatasetUse, Job, Model, ModelVersion

__all__ = ["get", "hold", "latest", "made_from", "note_use", "remove", "waiting"]

_WAITING = (JobStatus.QUEUED, JobStatus.RUNNING)


def get(session: Session, dataset_id: str) -> Dataset | None:
    """Return the data set of this id."""
    return session.get(Dataset, dataset_id)


def hold(session: Session, dataset_id: str, *, read: bool) -> Dataset | None:
    """Return a data set that nobody deletes before this transaction ends.

    Two that ``read`` go on side by side; on SQLite a writing session is alone anyway.
    """
    query = select(Dataset).where(Dataset.id == dataset_id).with_for_update(read=read)
    return session.scalar(query)


def latest(
    session: Session, *, limit: int, before: str | None, sha256: str | None
) -> list[Dataset]:
    """Return up to ``limit`` data sets, newest first."""
    query = (
        select(Dataset)
        .order_by(Dataset.created_at.desc(), Dataset.id.desc())
        .limit(limit)
    )
    if before is not None:
        mark = select(Dataset.created_at, Dataset.id).where(Dataset.id == before)
        known = mark.subquery()
        query = query.join(
            known,
            tuple_(Dataset.created_at, Dataset.id)
            < tuple_(known.c.created_at, known.c.id),
        )
    if sha256 is not None:
        query = query.where(Dataset.uploaded_sha256 == sha256)
    return list(session.scalars(query))


def note_use(session: Session, dataset_id: str, job_id: str) -> None:
    """Note that a job trains on a data set."""
    session.add(DatasetUse(job_id=job_id, dataset_id=dataset_id))
    session.flush()


def waiting(session: Session, dataset_id: str) -> int:
    """Count the jobs that wait or run and need a data set."""
    query = (
        select(func.count())
        .select_from(DatasetUse)
        .join(Job, Job.id == DatasetUse.job_id)
        .where(DatasetUse.dataset_id == dataset_id, Job.status.in_(_WAITING))
    )
    return session.scalar(query) or 0


def made_from(session: Session, dataset_id: str) -> list[tuple[str, int]]:
    """Return name and version of the models that were trained on a data set."""
    query = (
        select(Model.name, ModelVersion.version)
        .join(ModelVersion, ModelVersion.model_id == Model.id)
        .join(DatasetUse, DatasetUse.job_id == ModelVersion.job_id)
        .where(DatasetUse.dataset_id == dataset_id)
        .order_by(Model.name, ModelVersion.version)
    )
    return [(name, version) for name, version in session.execute(query)]


def remove(session: Session, dataset_id: str) -> None:
    """Remove the row of a data set, and the notes of its uses."""
    session.execute(delete(Dataset).where(Dataset.id == dataset_id))
