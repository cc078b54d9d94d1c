"""Data sets as POST /train sees them: by their columns, held while a job needs them.

A request is checked against an outline (names and types, no rows); the rows are read by
the training process alone (``DatasetStore.read_table``).
"""

from collections.abc import Sequence

import numpy as np
from sqlalchemy.orm import Session

from app.datasets import queries
from app.errors import FieldError
from app.errors.faults import unusable
from app.features.table import Table

__all__ = ["note_use", "outline"]


def outline(
    session: Session,
    dataset_id: str,
    columns: Sequence[str] | None,
    most_rows: int,
) -> Table:
    """Return the columns of a data set as a table without rows.

    Until the transaction ends nobody deletes the data set.

    Parameters
    ----------
    session : Session
        A writing one.
    dataset_id : str
    columns : sequence of str, optional
        Only these.
    most_rows : int
        How many rows a training may take into memory.

    Raises
    ------
    InvalidRequestError
        When there is no such data set or column, or it has too many rows.
    """
    row = queries.hold(session, dataset_id, read=True)
    if row is None:
        detail = "no data set has this id; see GET /datasets"
        raise unusable([FieldError("/data/id", detail)])
    if row.n_rows > most_rows:
        detail = (
            f"the data set has {row.n_rows} rows, a training takes at most {most_rows}"
            " (DEMUR_MAX_TRAINING_ROWS)"
        )
        raise unusable([FieldError("/data/id", detail)])
    types = {column["name"]: column["type"] for column in row.columns}
    names = list(types) if columns is None else columns
    unknown = [
        FieldError(f"/data/columns/{j}", "the data set has no such column")
        for j, name in enumerate(names)
        if name not in types
    ]
    if unknown:
        raise unusable(unknown)
    nothing = np.empty(0)
    return Table(dict.fromkeys(names, nothing), {name: types[name] for name in names})


def note_use(session: Session, dataset_id: str, job_id: str) -> None:
    """Keep a data set until a job has ended, and remember what was made of it."""
    queries.note_use(session, dataset_id, job_id)
