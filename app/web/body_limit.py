"""A bound on every request body, also where its length was not announced.

A body that is announced too long is answered 413 before a byte of it is read; a chunked
one as soon as it passes the bound. The answer is sent at once and what still arrives is
thrown away for a moment, so that a client in the midst of sending gets to read it.
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
        announced = _announced(scope)
        if announced > bound.most_bytes:
            await _refuse(bound, scope, receive, send)
        elif announced and uploads:
            await self._answered_early(scope, receive, send)
        elif announced:
            # The server reads no more of a body than was announced.
            await self.inner(scope, receive, send)
        else:
            await self._counted(bound, scope, receive, send)

    async def _answered_early(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a file be refused in the midst of it: the client gets to read why."""
        arrived = False

        async def noting_receive() -> Message:
            nonlocal arrived
            message = await receive()
            arrived = arrived or not message.get("more_body", False)
            return message

        async def closing_send(message: Message) -> None:
            if arrived:
                await send(message)
            elif message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), (b"connection", b"close")]
                await send({**message, "headers": headers})
            elif message.get("more_body", False):
                await send(message)
            else:
                await send({**message, "more_body": True})
                await _throw_away(noting_receive)
                await send({"type": "http.response.body", "body": b""})

        await self.inner(scope, noting_receive, closing_send)

    async def _counted(
        self, bound: Bound, scope: Scope, receive: Receive, send: Send
    ) -> None:
        seen, refused, answering = 0, False, False

        async def counting_receive() -> Message:
            nonlocal seen, refused
            if refused:
                return {"type": "http.disconnect"}
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > bound.most_bytes and not answering:
                refused = True
                await _refuse(bound, scope, receive, send)
                return {"type": "http.disconnect"}
            return message

        async def guarded_send(message: Message) -> None:
            nonlocal answering
            if not refused:
                answering = True
                await send(message)

        try:
            await self.inner(scope, counting_receive, guarded_send)
        except ClientDisconnect:
            if not refused:
                raise


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


def _announced(scope: Scope) -> int:
    """Return the announced length; 0 when there is none that can be relied on."""
    length = 0
    for name, value in scope["headers"]:
        if name == b"transfer-encoding":
            return 0
        if name == b"content-length" and value.isdigit():
            length = int(value[:20])
    return length
