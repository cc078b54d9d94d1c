"""A bound on the nesting of every JSON body, whoever reads it.

The body is read when the route asks for it, looked at, and handed over whole: no schema
and no reader of JSON meets one that is nested too deeply. Files are no JSON, and POST
/predict looks for itself.
"""

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import MalformedRequestError
from app.settings import Settings
from app.web.body_limit import UPLOADS
from app.web.depth import check_depth
from app.web.paths import route_path
from app.web.problems import send_problem

__all__ = ["DepthLimit"]

GONE: Message = {"type": "http.disconnect"}


class DepthLimit:
    """Give ``inner`` no body that is nested too deeply: 400.

    Parameters
    ----------
    inner : ASGI application
    settings : Settings
    """

    def __init__(self, inner: ASGIApp, settings: Settings) -> None:
        self.inner, self.root_path = inner, settings.root_path
        self.most = settings.max_json_depth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http" or route_path(scope, self.root_path) in UPLOADS:
            await self.inner(scope, receive, send)
            return
        body = _Body(self.most, scope, receive, send)
        try:
            await self.inner(scope, body.receive, body.send)
        except ClientDisconnect:
            if not body.refused:
                raise


class _Body:
    """One request whose body is looked at before it is handed over."""

    def __init__(self, most: int, scope: Scope, receive: Receive, send: Send) -> None:
        self._most, self._scope = most, scope
        self._receive, self._send = receive, send
        self._read = self.refused = False

    async def receive(self) -> Message:
        """Return the whole body, then what comes after it."""
        if self.refused:
            return GONE
        if self._read:
            return await self._receive()
        parts: list[bytes] = []
        more = True
        while more:
            message = await self._receive()
            if message["type"] != "http.request":
                return message
            parts.append(message.get("body", b""))
            more = message.get("more_body", False)
        self._read, whole = True, b"".join(parts)
        try:
            await check_depth(whole, self._most)
        except MalformedRequestError as error:
            self.refused = True
            await send_problem(error, self._scope, self._send)
            return GONE
        return {"type": "http.request", "body": whole, "more_body": False}

    async def send(self, message: Message) -> None:
        """Answer, unless that was done."""
        if not self.refused:
            await self._send(message)
