"""A file on disk as the body of an answer."""

from collections.abc import AsyncIterator, Mapping
from typing import BinaryIO

from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

__all__ = ["FileResponse"]

_CHUNK_BYTES = 1 << 18


class FileResponse(StreamingResponse):
    """Send an open file and close it, however the sending ends.

    Parameters
    ----------
    file : binary file
        Open for reading; its name may be gone already.
    size : int
        Its length in bytes.
    media_type : str
    headers : mapping
    """

    def __init__(
        self, file: BinaryIO, size: int, media_type: str, headers: Mapping[str, str]
    ) -> None:
        self._file = file
        super().__init__(
            _chunks(file),
            media_type=media_type,
            headers={**headers, "content-length": str(size)},
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the whole file."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()


async def _chunks(file: BinaryIO) -> AsyncIterator[bytes]:
    while chunk := await run_in_threadpool(file.read, _CHUNK_BYTES):
        yield chunk
