"""Files of data sets that killed processes have left."""

from app.datasets import queries
from app.datasets.store import DatasetStore
from app.db.session import Database

__all__ = ["sweep"]

FRESH_S = 3600.0
"""A file this young may be on its way into the database."""


def sweep(database: Database, store: DatasetStore) -> int:
    """Remove files that no data set names, and uploads that nobody finishes."""

    def known(dataset_id: str) -> bool:
        with database.read() as session:
            return queries.get(session, dataset_id) is not None

    return store.sweep(known, FRESH_S)
