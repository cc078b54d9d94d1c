"""What a stored data set looks like: its first rows, its columns, its classes."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from app.datasets.schemas import ClassBalance, LabelCount, Preview
from app.errors import FieldError, InvalidRequestError
from app.features.dates import are_dates
from app.features.feature import MAX_CATEGORIES

__all__ = ["Profile", "class_balance", "preview", "profiles"]

_MOST_CLASSES = 1000
_MOST_PREVIEW_CELLS = 100_000
_BATCH_ROWS = 1 << 16
_FEWEST = 20
"""Rows below which a column may look like an identifier by chance."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What speaks against a column as a feature, and how many values it has."""

    name: str
    values: int
    fault: str | None
    """``constant``, ``dates``, ``names`` (most texts stand in one row only), ``many``
    (more texts than categories may be) or ``runs`` (a running number)."""


def profiles(path: Path) -> list[Profile]:
    """Look at each column of a stored data set as a feature."""
    return list(_profiled(path))


def _profiled(path: Path) -> Iterator[Profile]:
    with pq.ParquetFile(path) as file:
        for name in file.schema_arrow.names:
            column = file.read(columns=[name], use_threads=False).column(name)
            value_counts = pc.value_counts(column.drop_null())
            values, counts = value_counts.field("values"), value_counts.field("counts")
            single = pc.sum(pc.equal(counts, 1)).as_py() or 0
            fault = None
            if len(values) <= 1:
                fault = "constant"
            elif pa.types.is_string(column.type):
                fault = _of_texts(values, single, len(column))
            elif pa.types.is_floating(column.type) and single == len(column):
                fault = "runs" if _runs(values) else None
            yield Profile(name, len(values), fault)


def _of_texts(values: pa.Array, single: int, rows: int) -> str | None:
    if are_dates(value.as_py() for value in values):
        return "dates"
    if rows >= _FEWEST and 2 * single > rows:
        return "names"
    return "many" if len(values) > MAX_CATEGORIES else None


def _runs(values: pa.Array) -> bool:
    """Tell whether numbers that are all different are whole and without gap."""
    ends = pc.min_max(values).as_py()
    whole = pc.all(pc.equal(values, pc.floor(values))).as_py()
    gapless = ends["max"] - ends["min"] == len(values) - 1
    return bool(whole and gapless and len(values) >= _FEWEST)


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
            value_counts = pc.value_counts(batch.column(0))
            labels = value_counts.field("values").to_pylist()
            counts.update(
                dict(zip(labels, value_counts.field("counts").to_pylist(), strict=True))
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
