"""What a body says of itself: its type, its charset, its coding (RFC 9110, 8.3, 8.4).

JSON is ``application/json`` (or ``application/...+json``) in UTF-8. A body may come
packed by gzip or Zstandard. It is taken whole, in its packed form, and unpacked a part
at a time, so that whoever counts the parts never has much more than he bargained for.
"""

import asyncio
import codecs
import re
import tempfile
from pathlib import Path
from typing import ClassVar, Literal, get_args

import pyarrow as pa
from starlette.types import Message, Receive

from app.errors import (
    BodyTooLargeError,
    MalformedRequestError,
    UnsupportedMediaTypeError,
)

__all__ = ["Coding", "Unpacking", "charset_of", "coding_of", "is_json", "without_mark"]

Coding = Literal["gzip", "zstd"]

_IN_MEMORY_BYTES = 1 << 20
_AT_ONCE_BYTES = 1 << 16
"""Bytes that are unpacked without a thread: a tenth of a millisecond."""

_JSON = re.compile(rb"application/([a-z0-9!#$&^_.-]+\+)?json")
_UTF8 = frozenset({"utf-8", "ascii"})


class UnknownCodingError(UnsupportedMediaTypeError):
    """A body that is packed in a way that is not known here."""

    headers: ClassVar[dict[str, str]] = {"accept-encoding": ", ".join(get_args(Coding))}


def charset_of(content_type: bytes) -> str | None:
    """Return the charset that a content type names, by Python's name for it.

    Raises
    ------
    UnsupportedMediaTypeError
        When there is no such charset.
    """
    for parameter in content_type.split(b";")[1:]:
        name, _, value = parameter.partition(b"=")
        if name.strip().lower() == b"charset":
            try:
                return codecs.lookup(value.strip(b' \t"').decode("ascii")).name
            except (LookupError, UnicodeDecodeError):
                msg = "the charset of the content type is none that is known here"
                raise UnsupportedMediaTypeError(msg) from None
    return None


def is_json(content_type: bytes) -> bool:
    """Tell whether a content type is that of JSON in UTF-8; raises as `charset_of`."""
    kind = content_type.partition(b";")[0].strip().lower()
    return _JSON.fullmatch(kind) is not None and is_utf8(content_type)


def is_utf8(content_type: bytes) -> bool:
    """Tell whether a content type names no other charset; raises as `charset_of`."""
    return (charset_of(content_type) or "utf-8") in _UTF8


def without_mark(body: bytes) -> bytes:
    """Return a body without a byte order mark, which some programs put in front."""
    return body.removeprefix(codecs.BOM_UTF8)


def coding_of(value: bytes) -> Coding | None:
    """Return how a body is packed, by its ``Content-Encoding``; None where it is not.

    Raises
    ------
    UnknownCodingError
        When it is packed otherwise, or twice.
    """
    name = value.strip().lower().removeprefix(b"x-").decode("latin-1")
    if name in ("", "identity"):
        return None
    for coding in get_args(Coding):
        if name == coding:
            known: Coding = coding
            return known
    msg = f"send the body as it is, or packed once by {' or '.join(get_args(Coding))}"
    raise UnknownCodingError(msg)


class Unpacking:
    """A packed body, and what it becomes.

    Parameters
    ----------
    coding : {"gzip", "zstd"}
    too_large : BodyTooLargeError
        What is said of more bytes than ``most_bytes``.
    most_bytes : int
    folder : Path
        Where a large one waits, in a file without a name.
    """

    def __init__(
        self,
        coding: Coding,
        too_large: BodyTooLargeError,
        most_bytes: int,
        folder: Path,
    ) -> None:
        self._coding, self._too_large, self._most = coding, too_large, most_bytes
        folder.mkdir(parents=True, exist_ok=True)
        self._packed = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - see close
            _IN_MEMORY_BYTES, dir=str(folder)
        )
        self._stream: pa.CompressedInputStream | None = None
        self._small, self._size = True, 0

    async def next(self, receive: Receive) -> Message:
        """Return the next part of the unpacked body.

        Raises
        ------
        BodyTooLargeError
            When it has more bytes than it may, packed or unpacked.
        MalformedRequestError
            When it is not packed as it says, or ends too early.
        """
        if self._stream is None:
            gone = await self._take(receive)
            if gone is not None:
                return gone
            self._packed.seek(0)
            self._stream = pa.CompressedInputStream(self._packed, self._coding)
        try:
            if self._small:
                part = self._stream.read(_AT_ONCE_BYTES)
                self._small = False
            else:
                read = self._stream.read
                part = await asyncio.to_thread(read, _IN_MEMORY_BYTES)
        except (OSError, pa.ArrowException):
            msg = f"the body is no whole {self._coding}, as Content-Encoding has it"
            raise MalformedRequestError(msg) from None
        self._count(len(part))
        return {"type": "http.request", "body": part, "more_body": bool(part)}

    async def _take(self, receive: Receive) -> Message | None:
        """Take the packed body; return what came instead of its end, if anything."""
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return message
            part, more = message.get("body", b""), message.get("more_body", False)
            self._count(len(part))
            if self._size <= _IN_MEMORY_BYTES:
                self._packed.write(part)
            else:
                await asyncio.to_thread(self._packed.write, part)
        self._small, self._size = self._size <= _AT_ONCE_BYTES, 0
        return None

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._most:
            raise self._too_large

    def close(self) -> None:
        """Give back what the packed body took."""
        self._packed.close()
