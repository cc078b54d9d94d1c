"""A bound on every request body, also where its length was not announced.

A body that is announced too long is answered 413 before a byte of it is read; a chunked
one as soon as it passes the bound. Whatever is answered in the midst of a file or of a
chunked body is sent at once, and what still arrives is thrown away for a moment, so
that a client that is sending gets to read it; then the connection ends.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import BodyTooLargeError
from app.settings import Settings
from app.web.paths import route_path
from app.web.problems import problem_response

__all__ = ["BodyLimit"]

LINGER_S = 1.0
UPLOADS = frozenset({"/datasets", "/predict/batch"})
"""Paths that take files, read as a stream and never into memory."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The most bytes of a body, and the setting that says so."""

    most_bytes: int
    setting: str


class BodyLimit:
    """Give ``inner`` no more of any body than its path may have.

    Parameters
    ----------
    inner : ASGI application
    settings : Settings
        ``max_upload_bytes`` bounds files (``UPLOADS``), ``max_body_bytes`` the rest.
    """

    def __init__(self, inner: ASGIApp, settings: Settings) -> None:
        self.inner, self.root_path = inner, settings.root_path
        self.usual = Bound(settings.max_body_bytes, "DEMUR_MAX_BODY_BYTES")
        self.upload = Bound(settings.max_upload_bytes, "DEMUR_MAX_UPLOAD_BYTES")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, counting its body."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        uploads = route_path(scope, self.root_path) in UPLOADS
        bound = self.upload if uploads else self.usual
        length = _length(scope)
        if length is None or (length and uploads and length <= bound.most_bytes):
            await _Watched(bound, scope, receive, send).passed_to(self.inner)
        elif length > bound.most_bytes:
            await _refuse(bound, scope, receive, send)
        else:
            # The server reads no more of a body than was announced.
            await self.inner(scope, receive, send)


class _Watched:
    """A body that is counted as it comes, and may be answered before its end."""

    def __init__(
        self, bound: Bound, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._bound, self._scope = bound, scope
        self._receive, self._send = receive, send
        self._seen = 0
        self._arrived = self._refused = self._answering = False

    async def passed_to(self, inner: ASGIApp) -> None:
        """Let ``inner`` read it."""
        try:
            await inner(self._scope, self.receive, self.send)
        except ClientDisconnect:
            if not self._refused:
                raise

    async def receive(self) -> Message:
        """Return what comes next; nothing more of a body that is too long."""
        if self._refused:
            return {"type": "http.disconnect"}
        message = await self._receive()
        self._arrived = self._arrived or not message.get("more_body", False)
        self._seen += len(message.get("body", b""))
        if self._seen > self._bound.most_bytes and not self._answering:
            self._refused = True
            await _refuse(self._bound, self._scope, self.receive_on, self._send)
            return {"type": "http.disconnect"}
        return message

    async def receive_on(self) -> Message:
        """Return what comes next, whatever was decided."""
        if self._arrived:
            return {"type": "http.disconnect"}
        message = await self._receive()
        self._arrived = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Answer; in the midst of a body the client gets to read why."""
        if self._refused:
            return
        self._answering = True
        if self._arrived:
            await self._send(message)
        elif message["type"] == "http.response.start":
            headers = [*message.get("headers", ()), (b"connection", b"close")]
            await self._send({**message, "headers": headers})
        elif message.get("more_body", False):
            await self._send(message)
        else:
            await self._send({**message, "more_body": True})
            await _throw_away(self.receive_on)
            await self._send({"type": "http.response.body", "body": b""})


async def _refuse(bound: Bound, scope: Scope, receive: Receive, send: Send) -> None:
    response = problem_response(
        BodyTooLargeError(
            f"a body may hold {bound.most_bytes} bytes here ({bound.setting})"
        ),
        scope,
    )
    await send(
        {
            "type": "http.response.start",
            "status": response.status_code,
            "headers": response.raw_headers,
        }
    )
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    await _throw_away(receive)
    await send({"type": "http.response.body", "body": b""})


async def _throw_away(receive: Receive) -> None:
    """Read what still arrives, for a moment."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_S):
            while (await receive()).get("more_body", False):
                pass


def _length(scope: Scope) -> int | None:
    """Return the announced length; None where a body comes that has none."""
    length: int | None = 0
    for name, value in scope["headers"]:
        if name == b"transfer-encoding":
            return None
        if name == b"content-length":
            length = int(value[:20]) if value.isdigit() else None
    return length
