"""A bound on every request body, also where its length was not announced.

A body that is announced too long is answered 413 before a byte of it is read; a chunked
one as soon as it passes the bound. The answer is sent at once and what still arrives is
thrown away for a moment, so that a client in the midst of sending gets to read it.
"""

import asyncio
from contextlib import suppress

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import BodyTooLargeError
from app.web.problems import problem_response

__all__ = ["BodyLimit"]

LINGER_S = 1.0


class BodyLimit:
    """Give ``inner`` no more than ``most_bytes`` of any body."""

    def __init__(self, inner: ASGIApp, most_bytes: int) -> None:
        self.inner, self.most_bytes = inner, most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, counting its body."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
        elif _announced(scope) > self.most_bytes:
            await self._refuse(scope, receive, send)
        else:
            await self._counted(scope, receive, send)

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        seen, refused, answering = 0, False, False

        async def counting_receive() -> Message:
            nonlocal seen, refused
            if refused:
                return {"type": "http.disconnect"}
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.most_bytes and not answering:
                refused = True
                await self._refuse(scope, receive, send)
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

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = problem_response(
            BodyTooLargeError(
                f"a body may hold {self.most_bytes} bytes (DEMUR_MAX_BODY_BYTES)"
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
        await send(
            {"type": "http.response.body", "body": response.body, "more_body": True}
        )
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                while (await receive()).get("more_body", False):
                    pass
        await send({"type": "http.response.body", "body": b""})


def _announced(scope: Scope) -> int:
    """Return the announced length; 0 when there is none that can be read."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
