"""Few bytes that stand for very many: refused before they are made, or made slowly."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.datasets.reading import columnar
from app.datasets.reading.columnar import ArrowStream, ParquetFile
from app.datasets.reading.limits import Limits
from app.errors import InvalidRequestError

LIMITS = {"cells": Limits(cells=200_000), "texts": Limits(text_bytes=1_000_000)}


def parquet(table):
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def stream(table, compression="zstd"):
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()


def file(table):
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


FORMS = {
    "parquet": (parquet, "parquet"),
    "stream": (stream, "arrow"),
    "file": (file, "arrow"),
}


def pointing(rows, text):
    """Return rows that point to one text."""
    nothing = pa.array(np.zeros(rows, np.int32))
    return pa.DictionaryArray.from_arrays(nothing, pa.array([text]))


BOMBS = {
    "one long text": (pa.table({"a": pointing(2_000_000, "x" * 10_000)}), "texts"),
    "plain text": (pa.table({"a": ["x" * 9_000] * 1_000}), "texts"),
    "columns of nulls": (
        pa.table({f"n{j}": pa.nulls(3_000_000) for j in range(500)}),
        "cells",
    ),
    "one column": (pa.table({"a": np.zeros(300_000)}), "cells"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("bomb", BOMBS)
def test_what_is_too_much_is_refused(read, form, bomb):
    table, what = BOMBS[bomb]
    if form == "parquet" and bomb == "columns of nulls":
        table = table.slice(0, 30_000)
    write, kind = FORMS[form]
    before = pa.total_allocated_bytes()
    with pytest.raises(InvalidRequestError, match=what):
        read(write(table), kind, LIMITS[what])
    assert pa.total_allocated_bytes() - before < 1 << 26


def test_an_index_of_svmlight_is_no_way_around(read):
    with pytest.raises(InvalidRequestError, match="cells"):
        read(b"1 999:1\n" * 1_000, "svmlight", LIMITS["cells"])
    with pytest.raises(InvalidRequestError, match="cells"):
        read(b"a,b,c\n" + b",,\n" * 100_000, "csv", LIMITS["cells"])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string()], ids=["text", "large text"]
)
def test_texts_are_made_a_part_at_a_time_and_stay_the_same(
    tmp_path, monkeypatch, form, kind
):
    monkeypatch.setattr(columnar, "_TEXT_BYTES", 1_000)
    texts = ["", "y" * 3_000, "ä" * 40, None, "z"]
    plain = pa.array([texts[i % 5] for i in range(997)], kind)
    table = pa.table({"n": np.arange(997), "a": plain, "d": plain.dictionary_encode()})
    write, named = FORMS[form]
    path = tmp_path / "file"
    path.write_bytes(write(table))
    opened = ParquetFile if named == "parquet" else ArrowStream
    parts = list(opened(path, Limits()).batches())
    assert len(parts) > 100
    assert pa.Table.from_batches(parts).cast(table.schema).equals(table)
    assert parts[0].schema.field("a").type == kind
