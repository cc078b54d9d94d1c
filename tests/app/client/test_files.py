"""Files are known by their first bytes: taken as they are, unpacked, or named."""

import bz2
import gzip
import io
import lzma
import os
import threading
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet as pq
import pytest

from app.client.files import FileError, open_table
from app.datasets.reading.beginnings import HEAD_BYTES, kind_of
from app.datasets.reading.limits import Limits
from app.datasets.reading.opening import open_source
from app.datasets.reading.options import ReadOptions
from app.errors import InvalidRequestError

TEXT = b"a,b\n1,2\n" * 20_000
TABLE = pa.table({"a": [1.0, 2.0], "b": ["x", "y"]})


def written(write) -> bytes:
    sink = io.BytesIO()
    write(sink)
    return sink.getvalue()


def zipped(*names) -> bytes:
    def write(sink):
        with zipfile.ZipFile(sink, "w") as archive:
            for name in names:
                archive.writestr(name, "x")

    return written(write)


def stream(sink):
    with pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)


PARQUET = written(lambda sink: pq.write_table(TABLE, sink))
STREAM = written(stream)
FEATHER = written(lambda sink: pyarrow.feather.write_feather(TABLE, sink))


@pytest.fixture
def file(tmp_path):
    def write(content: bytes, name="file.csv"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def sent(path):
    with open_table(path) as file:
        return file.media_type, file.name, b"".join(file.pieces())


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (TEXT, "text/csv"),
        (PARQUET, "application/vnd.apache.parquet"),
        (STREAM, "application/vnd.apache.arrow.stream"),
        (FEATHER, "application/vnd.apache.arrow.file"),
    ],
)
@pytest.mark.parametrize(
    "pack",
    [
        lambda content: content,
        gzip.compress,
        lambda content: gzip.compress(content[:9]) + gzip.compress(content[9:]),
        bz2.compress,
        lzma.compress,
        lambda content: pa.compress(content, codec="zstd", asbytes=True),
    ],
    ids=["plain", "gzip", "two gzips", "bzip2", "xz", "zstd"],
)
def test_what_can_be_read_is_sent_whatever_it_is_called(
    file, content, media_type, pack
):
    assert sent(file(pack(content), "x.csv")) == (media_type, "x.csv", content)


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.csv.gz", "text/csv"),
        ("a.TSV.gz", "text/tab-separated-values"),
        ("a.svm.bz2", "text/x-svmlight"),
        ("a.libsvm", "text/x-svmlight"),
        ("a.dat", "text/csv"),
    ],
)
def test_a_name_tells_the_kind_of_text(file, name, media_type):
    told, plain, _ = sent(file(TEXT, name))
    assert told == media_type
    assert plain == name.removesuffix(".gz").removesuffix(".bz2")


FOREIGN = {
    "an Excel workbook": zipped("[Content_Types].xml", "xl/workbook.xml"),
    "a ZIP archive": zipped("table.csv"),
    "an OpenDocument spreadsheet": zipped("mimetype").replace(
        b"mimetypex", b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
    ),
    "a web page": b"\n<!DOCTYPE html>\n<html><title>404</title>",
    "JSON": b'[{"a": 1, "b": 2}]',
    "a NumPy array": written(lambda sink: np.save(sink, np.arange(3))),
    "an ORC file": written(lambda sink: pyarrow.orc.write_table(TABLE, sink)),
    "an SQLite database": b"SQLite format 3\0" + bytes(80),
    "a PDF document": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3",
    "a Python pickle": b"\x80\x04\x95\x0b\0\0\0",
    "an HDF5 file": b"\x89HDF\r\n\x1a\n" + bytes(8),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_no_service_reads_is_named_with_a_way_out(file, name):
    path = file(FOREIGN[name])
    for content in (path, file(gzip.compress(FOREIGN[name]), "x.csv.gz")):
        with pytest.raises(FileError, match=f"is {name}; [a-z]"), open_table(content):
            pass
    # An upload under a wrong content type is told the same.
    for form in ("csv", "parquet", "arrow", "svmlight"):
        with pytest.raises(InvalidRequestError, match=f"the file is {name}; [a-z]"):
            open_source(path, form, ReadOptions(), Limits())


@pytest.mark.parametrize(
    ("content", "form", "told"),
    [
        (PARQUET, "csv", "a Parquet file; send it as application/vnd.apache.parquet"),
        (PARQUET, "arrow", "a Parquet file"),
        (STREAM, "csv", "an Arrow stream; send it as"),
        (gzip.compress(TEXT), "csv", "a gzip file; unpack it"),
    ],
)
def test_an_upload_in_another_format_is_told_which(file, content, form, told):
    with pytest.raises(InvalidRequestError, match=told):
        open_source(file(content), form, ReadOptions(), Limits())


@pytest.mark.parametrize(
    "text",
    [
        b"PAR1,PAR2\n1,2\n",
        b"ORCID,name\n1,2\n",
        b"BZh,x\n1,2\n",
        b"FEA1,FEA2\n",
        b"Obj,x\n1,2\n",
        b"[kg],x\n1,2\n",
        b"{id},x\n1,2\n",
        b'"<html>",x\n1,2\n',
        b"<5,>5\n1,2\n",
        b"PK,x\n1,2\n",
        b"7z,x\n",
        b"",
    ],
)
def test_text_that_begins_alike_is_text(text):
    assert kind_of(text[:HEAD_BYTES]) is None


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_file_that_is_cut_short_is_told(file, pack):
    content = pack(np.random.default_rng(0).bytes(200_000).hex().encode())
    path = file(content[: len(content) // 2])
    with pytest.raises(FileError, match="damaged, or not whole"):
        sent(path)


def test_a_pipe_is_sent_as_it_comes(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(TEXT),))
    writer.start()
    assert sent(pipe)[2] == TEXT
    writer.join()
