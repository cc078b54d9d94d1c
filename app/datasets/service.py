"""What may be done with data sets: keep, list, describe, use."""

import re
from collections.abc import Callable
from pathlib import Path

from sqlalchemy.orm import Session

from app.datasets import queries
from app.datasets.describing import class_balance, preview
from app.datasets.errors import UnknownDatasetError
from app.datasets.reading.convert import Described
from app.datasets.receiving import Received
from app.datasets.schemas import (
    DatasetAnswer,
    DatasetDetail,
    DatasetEntry,
    DatasetQuery,
    DatasetsAnswer,
    DatasetsQuery,
    UploadQuery,
)
from app.datasets.store import DatasetFile, DatasetStore
from app.db.session import Database
from app.db.tables import Dataset, new_id

__all__ = ["describe", "file_of", "find", "keep", "page"]

_ID = re.compile(r"[0-9a-f-]{36}")


def keep(
    store: DatasetStore,
    database: Database,
    stored: Path,
    received: Received,
    described: Described,
    query: UploadQuery,
    beside: Callable[[Session, str], None] = lambda *_: None,
) -> DatasetAnswer:
    """Keep a converted upload for good; its row comes last, its file goes with it.

    ``beside`` adds, in the same transaction, what is to be known of the new id.
    """
    form, dataset_id = received.format(query.format), new_id()
    size = stored.stat().st_size
    file = store.keep(stored, dataset_id)
    row = Dataset(
        id=dataset_id,
        name=query.name or received.shown_name or f"unnamed.{form}",
        format=form,
        uploaded_sha256=received.sha256,
        uploaded_bytes=received.size,
        stored_sha256=file.sha256,
        stored_bytes=size,
        **_facts(described),
    )
    try:
        with database.write() as session:
            session.add(row)
            session.flush()
            beside(session, dataset_id)
    except BaseException:
        store.delete(file)
        raise
    return DatasetAnswer.model_validate(_shown(row))


def _facts(described: Described) -> dict[str, object]:
    columns = [
        {"name": column.name, "type": column.type, "missing": column.missing}
        for column in described.columns
    ]
    return {
        "n_rows": described.rows,
        "columns": columns,
        "notes": list(described.notes),
    }


def _entry(row: Dataset) -> dict[str, object]:
    return {
        "id": row.id,
        "name": row.name,
        "format": row.format,
        "rows": row.n_rows,
        "sha256": row.uploaded_sha256,
        "bytes": row.uploaded_bytes,
        "created_at": row.created_at,
    }


def _shown(row: Dataset) -> dict[str, object]:
    return {**_entry(row), "columns": row.columns, "notes": row.notes}


def find(session: Session, dataset_id: str) -> Dataset:
    """Return the data set of this id.

    Raises
    ------
    UnknownDatasetError
        When there is none.
    """
    row = queries.get(session, dataset_id) if _ID.fullmatch(dataset_id) else None
    if row is None:
        raise UnknownDatasetError(UnknownDatasetError.example)
    return row


def file_of(row: Dataset) -> DatasetFile:
    """Return which file a data set is."""
    return DatasetFile(row.id, row.stored_sha256)


def page(session: Session, query: DatasetsQuery) -> DatasetsAnswer:
    """Return one page of data sets, newest first."""
    rows = queries.latest(
        session, limit=query.limit + 1, before=query.before, sha256=query.sha256
    )
    shown = rows[: query.limit]
    return DatasetsAnswer(
        datasets=[DatasetEntry.model_validate(_entry(row)) for row in shown],
        next=shown[-1].id if len(rows) > len(shown) else None,
    )


def describe(
    session: Session, store: DatasetStore, dataset_id: str, query: DatasetQuery
) -> DatasetDetail:
    """Return a data set with its first rows and the balance of its classes.

    Raises
    ------
    UnknownDatasetError
        When there is no such data set.
    InvalidRequestError
        When the column to count does not exist or has too many values.
    CorruptDatasetError
        When its file is not what was written.
    """
    row = find(session, dataset_id)
    with store.checked(file_of(row)) as path:
        balance = None if query.target is None else class_balance(path, query.target)
        shown = {"preview": preview(path, query.preview), "target": balance}
    return DatasetDetail.model_validate({**_shown(row), **shown})
