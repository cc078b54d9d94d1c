"""A bound on the time from a request's first byte to the first of its answer.

What is late is answered at once: 408 when the body was asked for and is not there yet,
else 503. The work itself is not torn down (a thread in the midst of a transaction
cannot be): what it says afterwards goes nowhere, and a body that is still awaited
counts as a client gone away. A client that has hung up is answered nothing, and that is
no fault.
An answer that has begun may take as long as it takes. One clock looks at all open
requests, ten times a second: a timer for each would cost more than a small prediction.
"""

import asyncio
from time import monotonic

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import ApiError, RequestTimeoutError, TooSlowError
from app.settings import Settings
from app.web.body_limit import UPLOADS
from app.web.paths import route_path
from app.web.problems import send_problem

__all__ = ["TimeLimit"]


LOOK_EVERY_S = 0.1


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
        self._open: set[_Watch] = set()
        self._looking = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with an eye on the clock."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        uploads = route_path(scope, self.root_path) in UPLOADS
        watch = _Watch(scope, receive, send, self.upload if uploads else self.usual)
        self._open.add(watch)
        if not self._looking:
            self._looking = True
            self._look()
        try:
            await self.inner(scope, watch.receive, watch.send)
        except ClientDisconnect:
            if watch.answering is None and not watch.gone:
                raise
        finally:
            self._open.discard(watch)
            if watch.answering is not None:
                await watch.answering

    def _look(self) -> None:
        """Ring for what is late, and look again while anything is open."""
        now_s = monotonic()
        for watch in self._open:
            if now_s >= watch.until_s:
                watch.ring()
        self._looking = bool(self._open)
        if self._looking:
            asyncio.get_running_loop().call_later(LOOK_EVERY_S, self._look)


class _Watch:
    """One request: whether its body has come, whether its answer has begun."""

    __slots__ = (
        "_outer",
        "answering",
        "arrived",
        "asked",
        "begun",
        "gone",
        "limit",
        "scope",
        "sending",
        "until_s",
    )

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, limit: tuple[float, str]
    ) -> None:
        self.scope, self._outer, self.sending = scope, receive, send
        self.limit = limit
        self.asked = self.arrived = self.begun = self.gone = False
        self.until_s = monotonic() + limit[0]
        self.answering: asyncio.Task[None] | None = None

    async def receive(self) -> Message:
        if self.answering is not None:
            return {"type": "http.disconnect"}
        self.asked = True
        message = await self._outer()
        if not message.get("more_body", False):
            self.gone = not self.begun and message["type"] == "http.disconnect"
            self.arrived = True
        return message

    async def send(self, message: Message) -> None:
        # whatever is made of a request whose client has hung up is said to nobody
        if self.answering is None and (self.begun or not self.gone):
            self.begun = True
            await self.sending(message)

    def ring(self) -> None:
        """Answer now, unless an answer has begun, or this was done."""
        if not (self.begun or self.gone) and self.answering is None:
            self.answering = asyncio.create_task(
                send_problem(self._error(), self.scope, self.sending)
            )

    def _error(self) -> ApiError:
        seconds, setting = self.limit
        if self.arrived or not self.asked:
            return TooSlowError(
                f"no answer within {seconds:g} s ({setting}); "
                "the request may still take effect"
            )
        return RequestTimeoutError(
            f"the body did not arrive within {seconds:g} s ({setting})"
        )
