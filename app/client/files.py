"""A file as the service takes it: what it is by its first bytes, and its bytes.

Packed files are unpacked on the way. What no service reads is refused by its name
before anything is sent.
"""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from app.datasets.reading.beginnings import HEAD_BYTES, Kind, Packing, kind_of
from app.datasets.reading.blocks import BLOCK_BYTES
from app.datasets.reading.csv_source import CsvSource
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ReadOptions

__all__ = ["FileError", "Seen", "TableFile", "lines_of", "open_table", "plain_name"]

Seen = Callable[[int], None]
_SUFFIXES = {
    ".tsv": "text/tab-separated-values",
    ".svm": "text/x-svmlight",
    ".svmlight": "text/x-svmlight",
    ".libsvm": "text/x-svmlight",
}
_PACKED = {".gz", ".bz2", ".xz", ".zst"}
_DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError)


class FileError(Exception):
    """A file that cannot be read or written; the text is for people."""


@dataclass(frozen=True, slots=True, eq=False)
class TableFile:
    """A file that was opened to be sent.

    Parameters
    ----------
    path : Path
    media_type : str
        The content type that the service reads it by.
    name : str
        The file's name, without the suffix of its packing.
    size : int
        Bytes on disk; 0 where that is not known.
    """

    path: Path
    media_type: str
    name: str
    size: int
    _raw: BinaryIO
    _stream: Any

    def pieces(self, seen: Seen = lambda _: None) -> Iterator[bytes]:
        """Yield the file, unpacked, and tell how many bytes on disk were read.

        Raises
        ------
        FileError
            When it cannot be read to its end.
        """
        try:
            while piece := self._stream.read(BLOCK_BYTES):
                if self.size:
                    seen(self._raw.tell())
                yield piece
        except _DAMAGED as error:
            reason = getattr(error, "strerror", None) or "it is damaged, or not whole"
            msg = f"{self.path}: {reason}"
            raise FileError(msg) from None


@contextmanager
def open_table(path: Path) -> Iterator[TableFile]:
    """Open a file that holds a table.

    Raises
    ------
    FileError
        When it cannot be opened, or is of a kind that the service does not read.
    """
    try:
        raw = path.open("rb")
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise FileError(msg) from None
    with raw:
        kind, stream = _unpacked(path, raw)
        name = plain_name(path)
        size = path.stat().st_size if path.is_file() else 0
        yield TableFile(path, _media_type(name, kind), name, size, raw, stream)


def plain_name(path: Path) -> str:
    """Return a file's name without the suffix of its packing."""
    return path.stem if path.suffix.lower() in _PACKED else path.name


def _unpacked(path: Path, raw: Any) -> tuple[Kind | None, Any]:
    """Return what a file is, and its bytes as a stream."""
    stream = raw
    try:
        kind = kind_of(raw.peek(HEAD_BYTES))
        if kind is not None and kind.packing is not None:
            stream = _unpack(kind.packing, raw)
            kind = kind_of(stream.peek(HEAD_BYTES))
    except _DAMAGED as error:
        reason = getattr(error, "strerror", None) or "it is damaged, or not whole"
        msg = f"{path}: {reason}"
        raise FileError(msg) from None
    if kind is not None and kind.form is None:
        msg = f"{path} is {kind.name}; {kind.way_out}"
        raise FileError(msg)
    return kind, stream


def _unpack(packing: Packing, raw: BinaryIO) -> Any:
    if packing == "gzip":
        return gzip.open(raw)
    if packing == "bzip2":
        return bz2.open(raw)
    if packing == "xz":
        return lzma.open(raw)
    import pyarrow as pa  # noqa: PLC0415 - slow, and few files are packed so

    file = pa.PythonFile(raw, mode="r")
    return io.BufferedReader(pa.CompressedInputStream(file, "zstd"))


def _media_type(name: str, kind: Kind | None) -> str:
    if kind is not None and kind.media_type is not None:
        return kind.media_type
    return _SUFFIXES.get(Path(name).suffix.lower(), "text/csv")


def lines_of(path: Path, options: ReadOptions, rows: set[int]) -> dict[int, int]:
    """Return the line on which each row of a text file begins, where it has lines."""
    lines: dict[int, int] = {}
    with path.open("rb") as file:
        if kind_of(file.read(HEAD_BYTES)) is not None:
            return lines
    for batch in CsvSource(path, options, Limits(), kept=False).batches():
        for row in rows:
            index = row - batch.first_row
            if 0 <= index < len(batch.columns[0]):
                line = batch.line_of(index)
                lines |= {} if line is None else {row: line}
    return lines
