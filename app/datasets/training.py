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

__all__ = ["needed_bytes", "note_use", "outline"]

_BYTES_A_ROW, _BYTES_A_CELL = 200, 48
"""Measured at 200,000 rows of 5 to 20 numbers, boosters; a part is for safety."""


def needed_bytes(n_rows: int, n_columns: int) -> int:
    """Return about what a training takes beyond what its process takes without rows.

    The table, its encoded copy, that of a fold, and what the trainer makes of it. A
    column of many categories, and a cache of kernel rows, come on top.
    """
    return n_rows * (_BYTES_A_ROW + _BYTES_A_CELL * n_columns)


def outline(
    session: Session,
    dataset_id: str,
    columns: Sequence[str] | None,
    most_rows: int | None,
    most_bytes: int | None = None,
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
    most_rows : int, optional
        How many rows may be taken into memory.
    most_bytes : int, optional
        How much memory a training has.

    Raises
    ------
    InvalidRequestError
        When there is no such data set or column, or it is too large to be trained on.
    """
    row = queries.hold(session, dataset_id, read=True)
    if row is None:
        detail = "no data set has this id; see GET /datasets"
        raise unusable([FieldError("/data/id", detail)])
    if most_rows is not None and row.n_rows > most_rows:
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
    needed = needed_bytes(row.n_rows, len(names))
    if most_bytes is not None and needed > most_bytes:
        detail = (
            f"a training on {row.n_rows} rows of {len(names)} columns takes about"
            f" {needed / 1e9:.1f} GB of memory, and may take {most_bytes / 1e9:.1f} GB"
            " (DEMUR_MAX_JOB_MEMORY_BYTES, else the machine's): name fewer columns in"
            " data.columns, upload fewer rows, or give it more memory"
        )
        raise unusable([FieldError("/data/id", detail)])
    nothing = np.empty(0)
    return Table(dict.fromkeys(names, nothing), {name: types[name] for name in names})


def note_use(session: Session, dataset_id: str, job_id: str) -> None:
    """Keep a data set until a job has ended, and remember what was made of it."""
    queries.note_use(session, dataset_id, job_id)
