"""The SQL of data sets."""

from collections.abc import Sequence

from sqlalchemy import Select, delete, func, select, tuple_
from sqlalchemy.orm import Session

from app.db.states import JobStatus
from app.db.tables import Dataset, DatasetUse, Job, Model, ModelVersion

__all__ = [
    "derived_from",
    "get",
    "hold",
    "latest",
    "named_artifacts",
    "note_use",
    "remove",
    "waiting",
]

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


def derived_from(
    session: Session, dataset_id: str, *, hold: bool = False
) -> list[tuple[str, ModelVersion]]:
    """Return the versions, each with its model's name, that keep rows of a data set.

    They were trained on it, or re-priced from one that was. With ``hold`` no version
    is added to their models before this transaction ends.
    """
    trained = (
        select(ModelVersion.id)
        .join(DatasetUse, DatasetUse.job_id == ModelVersion.job_id)
        .where(DatasetUse.dataset_id == dataset_id)
    )
    of = select(ModelVersion.model_id).where(ModelVersion.id.in_(trained))
    models = select(Model).where(Model.id.in_(of)).order_by(Model.name)
    names = {m.id: m.name for m in session.scalars(_held(models) if hold else models)}
    roots = set(session.scalars(trained))
    versions = session.scalars(
        select(ModelVersion)
        .where(ModelVersion.model_id.in_(names))
        .order_by(ModelVersion.version)
    )
    by_model: dict[int, list[ModelVersion]] = {model_id: [] for model_id in names}
    for version in versions:
        mine = by_model[version.model_id]
        parent = version.summary.get("repriced_from")
        if version.id in roots or parent in {each.version for each in mine}:
            mine.append(version)
    return [(names[i], version) for i, mine in by_model.items() for version in mine]


def _held(models: Select[Model]) -> Select[Model]:
    return models.with_for_update().execution_options(populate_existing=True)


def named_artifacts(session: Session, digests: Sequence[str]) -> set[str]:
    """Return those of some digests that a version names."""
    named = ModelVersion.artifact_sha256
    return set(session.scalars(select(named).where(named.in_(digests))))


def remove(session: Session, dataset_id: str) -> None:
    """Remove the row of a data set, and the notes of its uses."""
    session.execute(delete(Dataset).where(Dataset.id == dataset_id))
