"""What a stored data set looks like: its first rows, the balance of its classes."""

from collections import Counter
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from app.datasets.schemas import ClassBalance, LabelCount, Preview
from app.errors import FieldError, InvalidRequestError

__all__ = ["class_balance", "preview"]

_MOST_CLASSES = 1000
_MOST_PREVIEW_CELLS = 100_000
_BATCH_ROWS = 1 << 16


def preview(path: Path, n_rows: int) -> Preview:
    """Return the first rows of a stored data set."""
    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        n_rows = min(n_rows, _MOST_PREVIEW_CELLS // len(names))
        batch = next(file.iter_batches(max(n_rows, 1), use_threads=False))
        columns = batch.slice(0, n_rows).to_pydict().values()
    return Preview(columns=names, rows=list(map(list, zip(*columns, strict=True))))


def class_balance(path: Path, column: str) -> ClassBalance:
    """Count the values of one column of a stored data set.

    Raises
    ------
    InvalidRequestError
        When there is no such column, or it has too many values to be classes.
    """
    counts: Counter[float | bool | str | None] = Counter()
    with pq.ParquetFile(path) as file:
        if column not in file.schema_arrow.names:
            msg = "the data set has no such column"
            raise _refused(msg)
        for batch in file.iter_batches(
            _BATCH_ROWS, columns=[column], use_threads=False
        ):
            found = pc.value_counts(batch.column(0))
            labels = found.field("values").to_pylist()
            counts.update(
                dict(zip(labels, found.field("counts").to_pylist(), strict=True))
            )
            if len(counts) > _MOST_CLASSES:
                msg = f"the column has more than {_MOST_CLASSES} values"
                raise _refused(msg)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    classes = [
        LabelCount(label=label, rows=rows)
        for label, rows in ordered
        if label is not None
    ]
    return ClassBalance(column=column, classes=classes, missing=counts[None])


def _refused(detail: str) -> InvalidRequestError:
    return InvalidRequestError(detail, [FieldError("/query/target", detail)])
