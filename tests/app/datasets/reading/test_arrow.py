import datetime as dt
import decimal
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.datasets.reading.limits import Limits
from app.errors import InvalidRequestError


def parquet(table):
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def arrow(table):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    return sink.getvalue()


FORMS = {"parquet": parquet, "arrow": arrow}
forms = pytest.mark.parametrize("form", FORMS)

MIXED = pa.table(
    {
        "f": pa.array([1.5, float("nan"), None], pa.float64()),
        "h": pa.array([1.5, 2, None], pa.float32()),
        "i": pa.array([1, 2, None], pa.int64()),
        "u": pa.array([1, 2, None], pa.uint8()),
        "id": pa.array([2**53 + 1, 2, None], pa.int64()),
        "d": pa.array([decimal.Decimal("1.25"), None, None]),
        "b": pa.array([True, None, False]),
        "s": pa.array(["a", None, " NA "]),
        "l": pa.array(["a", None, "c"], pa.large_string()),
        "c": pa.array(["x", "y", None]).dictionary_encode(),
        "day": pa.array([dt.date(2024, 2, 29), None, None]),
        "at": pa.array([dt.datetime.fromisoformat("2024-02-29T12:30"), None, None]),
        "none": pa.nulls(3),
    }
)


@forms
def test_types_are_those_of_the_file(read, form):
    described, table = read(FORMS[form](MIXED), form)
    assert table == {
        "f": [1.5, None, None],
        "h": [1.5, 2, None],
        "i": [1, 2, None],
        "u": [1, 2, None],
        "id": ["9007199254740993", "2", None],
        "d": [1.25, None, None],
        "b": [True, None, False],
        "s": ["a", None, "NA"],
        "l": ["a", None, "c"],
        "c": ["x", "y", None],
        "day": ["2024-02-29", None, None],
        "at": ["2024-02-29 12:30:00.000000", None, None],
        "none": [None, None, None],
    }
    kinds = {column.name: column.type for column in described.columns}
    assert {name for name, kind in kinds.items() if kind == "numeric"} == {
        *"fhiud",
        "none",
    }
    assert kinds["b"] == "boolean"
    assert {column.name: column.missing for column in described.columns}["f"] == 2


@forms
def test_declared_types(read, form):
    body = FORMS[form](pa.table({"zero": [0, 1, None], "text": ["1", " 2", None]}))
    _, table = read(body, form, types=(("zero", "boolean"), ("text", "numeric")))
    assert table == {"zero": [False, True, None], "text": [1, 2, None]}
    body = FORMS[form](pa.table({"n": [1, 2]}))
    with pytest.raises(InvalidRequestError, match=r"row 1, column 1 \('n'\): neither"):
        read(body, form, types=(("n", "boolean"),))


REFUSED = {
    "infinite": (pa.table({"a": [1.0, np.inf]}), r"row 1, column 1 \('a'\): the numb"),
    "nested": (pa.table({"a": [[1], [2]]}), r"column 1 \('a'\): columns of list"),
    "binary": (pa.table({"a": [b"x"]}), r"columns of binary are not taken"),
    "duplicate": (
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
        "column 2: the name",
    ),
    "no rows": (pa.table({"a": pa.array([], pa.int64())}), "no rows"),
    "no columns": (pa.table({}), "no columns"),
}


@forms
@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_its_place(read, form, case):
    table, told = REFUSED[case]
    with pytest.raises(InvalidRequestError, match=told):
        read(FORMS[form](table), form)


@forms
def test_rows_are_limited(read, form):
    with pytest.raises(InvalidRequestError, match="at most 2"):
        read(FORMS[form](MIXED), form, limits=Limits(rows=2))


@forms
@pytest.mark.parametrize("size", [0, 1, 7, 40, 200, 400, -1, -9])
def test_a_file_cut_short_is_refused(read, form, size):
    body = FORMS[form](MIXED)
    if form == "arrow" and size < 0:
        size -= 8  # the end-of-stream mark may be missing
    with pytest.raises(InvalidRequestError):
        read(body[:size], form)


def test_names_that_are_no_text_are_refused(read):
    body = arrow(pa.table({"namexx": [1]})).replace(b"namexx", b"nam\xff\xfex")
    with pytest.raises(InvalidRequestError, match="no readable Arrow stream"):
        read(body, "arrow")


def test_a_time_zone_that_nobody_knows_is_refused(read):
    when = pa.array([0], pa.timestamp("us", tz="Europe/Zurich"))
    body = arrow(pa.table({"when": when}))
    body = body.replace(b"Europe/Zurich", b"Europe/Zvrich")
    with pytest.raises(InvalidRequestError, match="no readable"):
        read(body, "arrow")
