"""A bound on the time from a request's first byte to the first of its answer.

What is late is answered at once: 408 when the body is not there yet, else 503. The work
itself is not torn down (a thread in the midst of a transaction cannot be): what it says
afterwards goes nowhere, and a body that is still awaited counts as a client gone away.
An answer that has begun may take as long as it takes.
"""

import asyncio

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import ApiError, RequestTimeoutError, TooSlowError
from app.settings import Settings
from app.web.body_limit import UPLOADS
from app.web.paths import route_path
from app.web.problems import send_problem

__all__ = ["TimeLimit"]


class TimeLimit:
    """Answer for ``inner`` when it has not begun to in time.

    Parameters
    ----------
    inner : ASGI application
    settings : Settings
        ``upload_seconds`` bounds requests with files, ``request_seconds`` the rest.
    """

    def __init__(self, inner: ASGIApp, settings: Settings) -> None:
        self.inner, self.root_path = inner, settings.root_path
        self.usual = (settings.request_seconds, "DEMUR_REQUEST_SECONDS")
        self.upload = (settings.upload_seconds, "DEMUR_UPLOAD_SECONDS")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with an eye on the clock."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        uploads = route_path(scope, self.root_path) in UPLOADS
        seconds, setting = self.upload if uploads else self.usual
        watch = _Watch(scope, receive, send, f"{seconds:g} s ({setting})")
        clock = asyncio.get_running_loop().call_later(seconds, watch.ring)
        try:
            await self.inner(scope, watch.receive, watch.send)
        except ClientDisconnect:
            if watch.answering is None:
                raise
        finally:
            clock.cancel()
            if watch.answering is not None:
                await watch.answering


class _Watch:
    """One request: whether its body has come, whether its answer has begun."""

    __slots__ = ("_outer", "answering", "arrived", "begun", "limit", "scope", "sending")

    def __init__(self, scope: Scope, receive: Receive, send: Send, limit: str) -> None:
        self.scope, self._outer, self.sending = scope, receive, send
        self.limit, self.arrived, self.begun = limit, False, False
        self.answering: asyncio.Task[None] | None = None

    async def receive(self) -> Message:
        if self.answering is not None:
            return {"type": "http.disconnect"}
        message = await self._outer()
        if not message.get("more_body", False):
            self.arrived = True
        return message

    async def send(self, message: Message) -> None:
        if self.answering is None:
            self.begun = True
            await self.sending(message)

    def ring(self) -> None:
        """Answer now, unless an answer has begun."""
        if not self.begun:
            self.answering = asyncio.create_task(
                send_problem(self._error(), self.scope, self.sending)
            )

    def _error(self) -> ApiError:
        if self.arrived:
            return TooSlowError(
                f"no answer within {self.limit}; the request may still take effect"
            )
        return RequestTimeoutError(f"the body did not arrive within {self.limit}")
