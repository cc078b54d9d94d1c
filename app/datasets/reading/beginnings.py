"""What a file is by its first bytes, whatever it is called.

People hold Excel workbooks, archives and saved web pages for tables of text. Told by
name they know what to do; read as text they would see a NUL byte in line 1.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.datasets.reading.options import Format
from app.errors import InvalidRequestError

__all__ = ["HEAD_BYTES", "Kind", "check_beginning", "kind_of"]

HEAD_BYTES = 4096
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_UNPACK = "unpack it, and send the table that is in it"
_EXPORT = "export the table as CSV or Parquet"

Packing = Literal["gzip", "bzip2", "xz", "zstd"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file that is no text table.

    Parameters
    ----------
    name : str
        With its article.
    way_out : str
        What its owner can do.
    form, media_type : str, optional
        Where it is a table that can be read as it is.
    packing : str, optional
        Where it is a packed form of another file.
    """

    name: str
    way_out: str
    form: Format | None = None
    media_type: str | None = None
    packing: Packing | None = None


def _table(name: str, form: Format, media_type: str) -> Kind:
    return Kind(name, f"send it as {media_type}", form, media_type)


_PARQUET = _table("a Parquet file", "parquet", "application/vnd.apache.parquet")
_STREAM = _table("an Arrow stream", "arrow", "application/vnd.apache.arrow.stream")
_FILE = _table("an Arrow file (Feather)", "arrow", "application/vnd.apache.arrow.file")
_ZIP = Kind("a ZIP archive", _UNPACK)
_EXCEL = Kind("an Excel workbook", "save the sheet as CSV")
_ODS = Kind("an OpenDocument spreadsheet", "save the sheet as CSV")
_PAGE = Kind("a web page", "look at it in a browser: was the download refused?")

# Beginnings that text may have too (a column called PAR1) need a control byte soon.
_TEXTLIKE = {b"PAR1": _PARQUET, b"ORC": Kind("an ORC file", _EXPORT)}
_BINARY = {
    b"ARROW1\0\0": _FILE,
    b"\xff\xff\xff\xff": _STREAM,
    b"PARE": Kind("an encrypted Parquet file", "write it without encryption"),
    b"FEA1\0": Kind("a Feather file of version 1", "write it as Feather 2 or Parquet"),
    b"\x1f\x8b": Kind("a gzip file", _UNPACK, packing="gzip"),
    b"BZh": Kind("a bzip2 file", _UNPACK, packing="bzip2"),
    b"\xfd7zXZ\0": Kind("an xz file", _UNPACK, packing="xz"),
    b"\x28\xb5\x2f\xfd": Kind("a Zstandard file", _UNPACK, packing="zstd"),
    b"7z\xbc\xaf\x27\x1c": Kind("a 7z archive", _UNPACK),
    b"Rar!\x1a\x07": Kind("a RAR archive", _UNPACK),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": _EXCEL,
    b"SQLite format 3\0": Kind("an SQLite database", _EXPORT),
    b"\x89HDF\r\n\x1a\n": Kind("an HDF5 file", _EXPORT),
    b"\x93NUMPY": Kind("a NumPy array", _EXPORT),
    b"Obj\x01": Kind("an Avro file", _EXPORT),
    b"$FL2@(#)": Kind("an SPSS file", _EXPORT),
    b"<stata_dta>": Kind("a Stata file", _EXPORT),
    b"RDX2\n": Kind("an R data file", _EXPORT),
    b"RDX3\n": Kind("an R data file", _EXPORT),
    b"\x80\x04\x95": Kind("a Python pickle", _EXPORT),
    b"\x80\x05\x95": Kind("a Python pickle", _EXPORT),
    b"%PDF-": Kind("a PDF document", "send the table itself, as CSV"),
}
_JSON = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[\[{\]])")
_MARKUP = re.compile(rb"\s*<(?:!doctype html|html|\?xml)\b", re.IGNORECASE)


def kind_of(head: bytes) -> Kind | None:
    """Return what kind of file begins so; None for text, which may be a table.

    Parameters
    ----------
    head : bytes
        The first ``HEAD_BYTES`` of the file, or what there is of them.
    """
    for beginning, kind in _BINARY.items():
        if head.startswith(beginning) and (
            kind.packing != "bzip2" or head[4:10] == b"1AY&SY"
        ):
            return kind
    for beginning, kind in _TEXTLIKE.items():
        if head.startswith(beginning) and _CONTROL.search(head):
            return kind
    if head.startswith(b"PK\x03\x04"):
        return _zipped(head)
    text = head.removeprefix(b"\xef\xbb\xbf")
    if _MARKUP.match(text):
        return _PAGE
    if _JSON.match(text):
        return Kind("JSON", "write the rows as CSV or Parquet")
    return None


def _zipped(head: bytes) -> Kind:
    """Return what a ZIP archive is the packed form of, by the names inside."""
    if b"opendocument.spreadsheet" in head:
        return _ODS
    if any(name in head for name in (b"[Content_Types].xml", b"xl/", b"docProps/")):
        return _EXCEL
    return _ZIP


def check_beginning(path: Path, form: Format) -> None:
    """Refuse by its name a file that is no table of the format it was sent as.

    Raises
    ------
    InvalidRequestError
        With what the file is and the way out.
    """
    with path.open("rb") as file:
        kind = kind_of(file.read(HEAD_BYTES))
    if kind is not None and kind.form != form:
        msg = f"the file is {kind.name}; {kind.way_out}"
        raise InvalidRequestError(msg)
