"""Whatever is uploaded, it is read or refused: no other exception."""

import io
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.datasets.reading.convert import to_parquet
from app.datasets.reading.limits import Limits
from app.datasets.reading.opening import open_source
from app.datasets.reading.options import ReadOptions
from app.errors import InvalidRequestError

LIMITS = Limits(rows=50, columns=20, cell_length=30, record_bytes=1000)
OPTIONS = st.builds(
    ReadOptions,
    delimiter=st.sampled_from([None, ",", ";", "\t", "|"]),
    decimal=st.sampled_from([".", ","]),
    header=st.booleans(),
    encoding=st.sampled_from(["utf-8", "utf-16", "latin-1", "windows-1252"]),
    types=st.sampled_from([(), (("a", "numeric"),), (("column_1", "boolean"),)]),
)
CSV = st.one_of(
    st.binary(max_size=200),
    st.text(alphabet='aé1.,;"\n\r\t |?\0-e', max_size=200).map(str.encode),
    st.text(max_size=60).map(lambda text: text.encode("utf-16", "surrogatepass")),
)
SVMLIGHT = st.text(alphabet="1 :2.#\n-eq\r", max_size=120).map(str.encode)

TABLE = pa.table(
    {
        "n": [1.5, None, 3.0],
        "s": pa.array(["a", "b", None]).dictionary_encode(),
        "t": ["x", "y", "z"],
        "b": [True, False, None],
    }
)


def attempt(folder: Path, body: bytes, form: str, options: ReadOptions) -> None:
    uploaded = folder / "uploaded"
    uploaded.write_bytes(body)
    with suppress(InvalidRequestError):
        source = open_source(uploaded, form, options, LIMITS)
        to_parquet(source, folder / "stored", options, LIMITS)


@given(CSV, OPTIONS)
def test_csv(tmp_path, body, options):
    attempt(tmp_path, body, "csv", options)


@given(st.one_of(SVMLIGHT, st.binary(max_size=100)))
def test_svmlight(tmp_path, body):
    attempt(tmp_path, body, "svmlight", ReadOptions())


def parquet_body() -> bytes:
    sink = io.BytesIO()
    pq.write_table(TABLE, sink)
    return sink.getvalue()


def arrow_body() -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return sink.getvalue()


BODIES = {"parquet": parquet_body(), "arrow": arrow_body()}


@pytest.mark.parametrize("form", BODIES)
@given(data=st.data())
def test_damaged_columnar_files(tmp_path, form, data):
    body = bytearray(BODIES[form])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(body) - 1))
        body[at] = data.draw(st.integers(0, 255))
    attempt(tmp_path, bytes(body), form, ReadOptions())
