"""What holds for every JSON body, whoever reads it.

Its type is that of JSON, in UTF-8: a web page cannot send that without asking. The body
is read when the route asks for it, looked at, and handed over whole, without a byte
order mark: no schema and no reader meets one that is nested too deeply, or in which a
key stands twice. Files and the forms of the page are no JSON, and POST /predict looks
for itself.
"""

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import ApiError, UnsupportedMediaTypeError
from app.settings import Settings
from app.web.bodies import receive_body
from app.web.body_limit import UPLOADS
from app.web.content import is_json, without_mark
from app.web.depth import check_depth
from app.web.duplicates import check_keys
from app.web.paths import UI, route_path
from app.web.problems import send_problem

__all__ = ["JsonBodies", "require_json", "require_json_in"]

_JSON = b"application/json"
GONE: Message = {"type": "http.disconnect"}
OR_CSV = frozenset({"/outcomes", "/cases/import"})
"""Paths that take JSON, or CSV as data sets do."""


def require_json(content_type: bytes) -> None:
    """Refuse another content type than that of JSON.

    Raises
    ------
    UnsupportedMediaTypeError
    """
    if not is_json(content_type):
        msg = "send Content-Type: application/json, in UTF-8"
        raise UnsupportedMediaTypeError(msg)


def require_json_in(scope: Scope) -> None:
    """Refuse a request whose body is of another content type than JSON.

    Raises
    ------
    UnsupportedMediaTypeError
    """
    content_type = b""
    for name, value in scope["headers"]:
        if name == b"content-type":
            content_type = value
    if content_type != _JSON:
        require_json(content_type)


class JsonBodies:
    """Give ``inner`` no body that is no JSON, or not as it should be: 415, 400, 422.

    Parameters
    ----------
    inner : ASGI application
    settings : Settings
    """

    def __init__(self, inner: ASGIApp, settings: Settings) -> None:
        self.inner, self.root_path = inner, settings.root_path
        self.depth = settings.max_json_depth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        is_http = scope["type"] == "http"
        path = route_path(scope, self.root_path) if is_http else ""
        if not is_http or path in UPLOADS or path.startswith(f"{UI}/"):
            await self.inner(scope, receive, send)
            return
        body = _Body(scope, receive, send, self.depth, or_csv=path in OR_CSV)
        try:
            await self.inner(scope, body.receive, body.send)
        except ClientDisconnect:
            if not body.refused:
                raise


class _Body:
    """One request whose body is looked at before it is handed over."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, depth: int, *, or_csv: bool
    ) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._depth, self._or_csv = depth, or_csv
        self._read = self._begun = self.refused = False

    async def receive(self) -> Message:
        """Return the whole body, then what comes after it."""
        if self.refused:
            return GONE
        if self._read or self._begun:
            return await self._receive()
        self._read = True
        try:
            is_csv = self._check_type()
            body = await receive_body(self._receive)
            if body is None:
                return GONE
            if body and not is_csv:
                body = without_mark(body)
                await check_depth(body, self._depth)
                await check_keys(body)
        except ApiError as error:
            self.refused = True
            await send_problem(error, self._scope, self._send)
            return GONE
        return {"type": "http.request", "body": body, "more_body": False}

    def _check_type(self) -> bool:
        """Tell whether it is CSV; refuse other types. A body of no bytes has none."""
        kind, comes = b"", False
        for name, value in self._scope["headers"]:
            if name == b"content-type":
                kind = value
            elif name in (b"content-length", b"transfer-encoding"):
                comes = value.strip() != b"0"
        is_csv = kind.partition(b";")[0].strip().lower() == b"text/csv"
        if self._or_csv:
            if not is_csv and not is_json(kind):
                msg = "send text/csv, or application/json in UTF-8"
                raise UnsupportedMediaTypeError(msg)
        elif kind or comes:
            require_json(kind)
        return is_csv

    async def send(self, message: Message) -> None:
        """Answer, unless that was done."""
        if not self.refused:
            self._begun = True
            await self._send(message)
