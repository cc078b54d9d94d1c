"""Files that killed processes left: half-written ones, and whole ones nobody names."""

from collections.abc import Set as AbstractSet

from sqlalchemy import select

from app.artifacts.store import ArtifactStore
from app.datasets import queries
from app.datasets.store import DatasetStore
from app.db.session import Database
from app.db.tables import ModelVersion
from app.worker.claim import Claim

__all__ = ["sweep", "sweep_after", "sweep_datasets", "writer"]

FRESH_S = 3600.0
"""A whole file this young may be on its way into the database."""


def writer(held: Claim) -> str:
    """Return the mark on the files that this job has on their way."""
    return f"{held.worker_id}_{held.job_id}"


def sweep_after(store: ArtifactStore, held: Claim) -> None:
    """Remove what a job of ours, now ended, has left half-written."""
    store.sweep_staged(lambda owner: owner == writer(held))


def sweep(database: Database, store: ArtifactStore, living: AbstractSet[str]) -> None:
    """Remove what workers other than the ``living`` have left."""

    def abandoned(owner: str) -> bool:
        worker_id, by_worker, _ = owner.partition("_")
        return bool(by_worker) and worker_id not in living

    def known(sha256: str) -> bool:
        with database.read() as session:
            named = select(ModelVersion.id).where(
                ModelVersion.artifact_sha256 == sha256
            )
            return session.scalar(named.limit(1)) is not None

    store.sweep_staged(abandoned)
    store.sweep_orphans(known, FRESH_S)


def sweep_datasets(database: Database, store: DatasetStore) -> int:
    """Remove files that no data set names, and uploads that nobody finishes."""

    def known(dataset_id: str) -> bool:
        with database.read() as session:
            return queries.get(session, dataset_id) is not None

    return store.sweep(known, FRESH_S)
