"""A body on its way to disk: hashed as it comes, complete or not at all.

The event loop only hands chunks on; hashing and writing happen in a thread, a megabyte
at a time, so that an upload of any size holds no other request up.
"""

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from app.datasets.multipart import FilePart
from app.datasets.reading.options import Format
from app.errors import (
    FieldError,
    InvalidRequestError,
    MalformedRequestError,
    UnsupportedMediaTypeError,
)
from app.web import content

__all__ = ["MEDIA_TYPES", "Received", "charset_of", "media_type_of", "receive"]

MEDIA_TYPES: dict[str, Format] = {
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/vnd.apache.parquet": "parquet",
    "application/vnd.apache.arrow.stream": "arrow",
    "application/vnd.apache.arrow.file": "arrow",
    "text/x-svmlight": "svmlight",
}
_SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrows": "arrow",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
}
_WRITE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Received:
    """A body on disk, and what was said about it."""

    sha256: str
    size: int
    media_type: str | None
    file_name: str | None
    charset: str | None = None

    def format(self, named: Format | None) -> Format:
        """Return the format: as named, by the content type, or by the file's name.

        Raises
        ------
        UnsupportedMediaTypeError
            When none of them says it.
        InvalidRequestError
            When that is the fault of a part's headers, not of the body's.
        """
        suffix = PurePosixPath(self.file_name or "").suffix.lower()
        form = named or MEDIA_TYPES.get(self.media_type or "") or _SUFFIXES.get(suffix)
        if form is None:
            msg = f"send {', '.join(MEDIA_TYPES)}, or say format= in the query"
            if self.file_name is None:
                raise UnsupportedMediaTypeError(msg)
            raise InvalidRequestError(msg, [FieldError("/query/format", msg)])
        return form

    @property
    def is_tabbed(self) -> bool:
        """Whether the content type says that tabs separate the cells."""
        return self.media_type == "text/tab-separated-values"

    @property
    def shown_name(self) -> str | None:
        """The file's own name, without any folder."""
        if not self.file_name:
            return None
        name = PureWindowsPath(self.file_name).name  # both kinds of slashes
        return "".join(c for c in name if c.isprintable())[:200] or None


def media_type_of(request: Request) -> str:
    """Return the content type of a request without its parameters."""
    media, _ = parse_options_header(request.headers.get("content-type", ""))
    return media.decode("latin-1").strip().lower()


def charset_of(request: Request) -> str | None:
    """Return the charset that a request's content type names; raises as `content`."""
    return content.charset_of(request.headers.get("content-type", "").encode("latin-1"))


async def receive(request: Request, target: Path) -> Received:
    """Write the file that a request carries to ``target``.

    Raises
    ------
    MalformedRequestError, InvalidRequestError
        When a multipart body is broken, or holds anything but one file.
    ClientDisconnect
        When the client goes away; ``target`` is then half written.
    """
    _, options = parse_options_header(request.headers.get("content-type", ""))
    media_type = media_type_of(request)
    part = None
    if media_type == "multipart/form-data":
        if not options.get(b"boundary"):
            msg = "the content type multipart/form-data needs a boundary"
            raise MalformedRequestError(msg)
        part = FilePart(options[b"boundary"])
    spool = _Spool(target)
    try:
        async for block in _blocks(request, part):
            await run_in_threadpool(spool.write, block)
    finally:
        spool.close()
    digest, size = spool.digest.hexdigest(), spool.size
    if part is None:
        return Received(digest, size, media_type, None, charset_of(request))
    return Received(digest, size, part.media_type, part.file_name, part.charset)


class _Spool:
    """A file that is hashed and measured while it is written."""

    def __init__(self, target: Path) -> None:
        self.digest, self.size = hashlib.sha256(), 0
        self._file = target.open("wb")

    def write(self, block: bytes) -> None:
        self.size += len(block)
        self.digest.update(block)
        self._file.write(block)

    def close(self) -> None:
        self._file.close()


async def _blocks(request: Request, part: FilePart | None) -> AsyncIterator[bytes]:
    """Yield the file in blocks that are worth a thread's attention."""
    waiting: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        waiting.append(chunk if part is None else part.feed(chunk))
        size += len(waiting[-1])
        if size >= _WRITE_BYTES:
            yield b"".join(waiting)
            waiting, size = [], 0
    if part is not None:
        part.finish()
    yield b"".join(waiting)
