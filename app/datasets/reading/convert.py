"""A source as one Parquet file of numbers, truth values and text.

    pass 1   facts on every column that is not declared  ->  its type
    pass 2   every batch converted, written, counted

The file has float64, bool and string columns only, missing values as null. Memory: one
batch and one row group.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from app.datasets.reading.columnar import check_cells
from app.datasets.reading.facts import ColumnFacts
from app.datasets.reading.faults import fault
from app.datasets.reading.limits import Limits
from app.datasets.reading.notations import notes_of, settle
from app.datasets.reading.options import ColumnType, ReadOptions
from app.datasets.reading.sources import Batch, Source
from app.datasets.reading.values import STORED, Reading
from app.errors import FieldError, InvalidRequestError
from app.features.extremes import Extremes, outside
from app.features.notation import PLAIN, to_payload

__all__ = ["MARKS", "NOTATIONS", "Column", "Described", "to_parquet"]

MARKS = b"demur.missing"
"""Where the file says which marks mean "no value" in it: a list in JSON."""

NOTATIONS = b"demur.notations"
"""Where it says how numbers were written that no program would write so, by column."""

_GROUP_ROWS = 1 << 17
_GROUP_BYTES = 1 << 26


@dataclass(frozen=True, slots=True)
class Column:
    """What is known of one column of a stored table."""

    name: str
    type: ColumnType
    missing: int


@dataclass(frozen=True, slots=True)
class Described:
    """What was found in a file."""

    rows: int
    columns: tuple[Column, ...]
    notes: tuple[str, ...]


def to_parquet(
    source: Source, target: Path, options: ReadOptions, limits: Limits
) -> Described:
    """Write a source as Parquet and say what it holds.

    Raises
    ------
    InvalidRequestError
        With the place of the first fault; ``target`` may then be half written.
    """
    reading = Reading(options, limits, source.text)
    facts = _facts(source, reading)
    kinds = [fact.kind for fact in facts]
    written = {
        name: fact.notation
        for name, fact in zip(source.names, facts, strict=True)
        if fact.kind == "numeric"
        and fact.notation is not None
        and fact.notation != PLAIN
    }
    reading = replace(reading, notations=written)
    typed = list(zip(source.names, kinds, strict=True))
    schema = pa.schema(
        [(name, STORED[kind]) for name, kind in typed],
        metadata={
            MARKS: json.dumps(options.marks),
            NOTATIONS: json.dumps(to_payload(written)),
        },
    )
    missing = [0] * len(typed)
    rows = 0
    extremes = [Extremes() if kind == "numeric" else None for kind in kinds]
    with _Writer(target, schema) as writer:
        for batch in _counted(source, limits):
            columns = [
                reading.column(batch, j, name, kind)
                for j, (name, kind) in enumerate(typed)
            ]
            missing = [
                n + column.null_count
                for n, column in zip(missing, columns, strict=True)
            ]
            for seen, column in zip(extremes, columns, strict=True):
                if seen is not None:
                    seen.see(column.to_numpy(zero_copy_only=False))
            writer.write(pa.table(columns, schema=schema))
            rows += len(columns[0])
    if not rows:
        msg = "the file has no rows"
        raise InvalidRequestError(msg)
    columns_found = tuple(map(Column, source.names, kinds, missing))
    outsiders = (
        outside(name, seen.odd())
        for name, seen in zip(source.names, extremes, strict=True)
        if seen is not None
    )
    said = notes_of(source.names, facts) if source.text else []
    notes = (*source.notes, *said, *(note for note in outsiders if note))
    return Described(rows, columns_found, notes)


def _facts(source: Source, reading: Reading) -> list[ColumnFacts]:
    """Gather what each column allows, from all of its cells."""
    declared = dict(reading.options.types)
    _check_declared(declared, source.names)
    facts = [ColumnFacts(declared.get(name)) for name in source.names]
    for batch in _counted(source, reading.limits):
        for fact, column in zip(facts, batch.columns, strict=True):
            if not fact.open:
                continue
            if source.text or (fact.declared and pa.types.is_string(column.type)):
                fact.see_text(column, reading.marks, batch.line_of)
            elif fact.declared is None:
                fact.see_typed(column, reading.marks)
    settle(source.names, facts, reading.options)
    return facts


def _check_declared(declared: Mapping[str, ColumnType], names: Collection[str]) -> None:
    for name, kind in declared.items():
        if name not in names:
            detail = f"the file has no column {name!r}; its type cannot be declared"
            raise InvalidRequestError(detail, [FieldError(f"/query/{kind}", detail)])


def _counted(source: Source, limits: Limits) -> Iterator[Batch]:
    for batch in source.batches():
        excess = batch.first_row + len(batch.columns[0]) - limits.rows
        if excess > 0:
            index = len(batch.columns[0]) - excess
            msg = f"at most {limits.rows} rows are taken"
            raise fault(
                msg,
                line=batch.line_of(index),
                row=batch.first_row + index,
            )
        rows = batch.first_row + len(batch.columns[0])
        check_cells(rows, len(batch.columns), limits)
        yield batch


class _Writer:
    """Gather small tables into row groups of a useful size."""

    def __init__(self, target: Path, schema: pa.Schema) -> None:
        texts = [field.name for field in schema if pa.types.is_string(field.type)]
        self._file = pq.ParquetWriter(
            target,
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=texts,
        )
        self._waiting: list[pa.Table] = []
        self._rows = self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        del error, trace
        if kind is None:
            self._flush()
        self._file.close()

    def write(self, table: pa.Table) -> None:
        self._waiting.append(table)
        self._rows += table.num_rows
        self._bytes += table.nbytes
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            table = pa.concat_tables(self._waiting)
            self._file.write_table(table, row_group_size=table.num_rows or None)
        self._waiting, self._rows, self._bytes = [], 0, 0
