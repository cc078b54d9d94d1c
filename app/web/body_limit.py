"""A bound on every request body, also where its length was not announced.

A body that is announced too long is answered 413 before a byte of it is read; a chunked
one as soon as it passes the bound. Whatever is answered in the midst of a file or of a
chunked body is sent at once, and what still arrives is thrown away for a moment, so
that a client that is sending gets to read it; then the connection ends. A body that
comes packed is handed on unpacked, within the same bound.

Only requests that bring rows, cases or files have use for large bodies.
"""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import ApiError, BodyTooLargeError
from app.settings import Settings
from app.web.content import Unpacking, coding_of
from app.web.paths import route_path
from app.web.problems import problem_response

__all__ = ["BodyLimit"]

LINGER_S = 1.0
CODING = b"content-encoding"
FORMS = {"/ui/train": "/ui/train", "/ui/decide/file": "/ui/decide"}
"""Pages' paths that take files, and where the form is that sends them."""
UPLOADS = frozenset({"/datasets", "/predict/batch", *FORMS})
"""Paths that take files, read as a stream and never into memory."""
OF_ROWS = re.compile(
    r"/train|/predict|/cases|/cases/import|/outcomes"
    r"|/models/[^/]+/versions/[^/]+/evaluate"
    r"|/v2/models/.+/infer|(/endpoints/[^/]+)?/invocations"
)
"""Paths whose bodies hold rows."""
MOST_BYTES = 1 << 18
"""Of any other body, which is read within a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The most bytes of a body, and the setting that says so."""

    most_bytes: int
    setting: str

    @property
    def error(self) -> BodyTooLargeError:
        """What is said of a body with more."""
        return BodyTooLargeError(
            f"a body may hold {self.most_bytes} bytes here ({self.setting})"
        )


class BodyLimit:
    """Give ``inner`` no more of any body than its path may have.

    Parameters
    ----------
    inner : ASGI application
    settings : Settings
        ``max_upload_bytes`` bounds files (``UPLOADS``), ``max_body_bytes`` the rest,
        of which those without rows have ``MOST_BYTES`` at most.
    """

    def __init__(self, inner: ASGIApp, settings: Settings) -> None:
        self.inner, self.root_path = inner, settings.root_path
        self.rows = Bound(settings.max_body_bytes, "DEMUR_MAX_BODY_BYTES")
        self.usual = self.rows
        if settings.max_body_bytes > MOST_BYTES:
            self.usual = Bound(MOST_BYTES, "it brings no rows")
        self.folder = settings.data_dir
        self.upload = Bound(settings.max_upload_bytes, "DEMUR_MAX_UPLOAD_BYTES")

    def _refusal(self, error: ApiError, scope: Scope) -> Response:
        """Return a problem; to the form of a page, the way back to it."""
        form = FORMS.get(route_path(scope, self.root_path))
        if form is None:
            return problem_response(error, scope)
        query = [scope["query_string"].decode("latin-1"), f"refused={error.slug}"]
        address = f"{self.root_path}{form}?{'&'.join(filter(None, query))}"
        return RedirectResponse(address, status_code=303)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, counting its body."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        length, packing = _announced(scope)
        if length == 0:
            await self.inner(scope, receive, send)
            return
        path = route_path(scope, self.root_path)
        uploads = path in UPLOADS
        bound = self.usual
        if uploads:
            bound = self.upload
        elif path == "/predict" or OF_ROWS.fullmatch(path):
            bound = self.rows
        try:
            coding = None if packing is None else coding_of(packing)
        except ApiError as error:
            await _refuse(self._refusal(error, scope), receive, send)
            return
        if length is not None and length > bound.most_bytes:
            await _refuse(self._refusal(bound.error, scope), receive, send)
        elif coding is not None:
            # who reads it need not know
            scope["headers"] = [h for h in scope["headers"] if h[0] != CODING]
            unpacking = Unpacking(coding, bound.error, bound.most_bytes, self.folder)
            try:
                watched = _Watched(
                    bound, scope, receive, send, self._refusal, unpacking
                )
                await watched.passed_to(self.inner)
            finally:
                unpacking.close()
        elif length is None or uploads:
            await _Watched(bound, scope, receive, send, self._refusal).passed_to(
                self.inner
            )
        else:
            # The server reads no more of a body than was announced.
            await self.inner(scope, receive, send)


class _Watched:
    """A body that is counted as it comes, and may be answered before its end."""

    def __init__(
        self,
        bound: Bound,
        scope: Scope,
        receive: Receive,
        send: Send,
        refusal: Callable[[ApiError, Scope], Response],
        unpacking: Unpacking | None = None,
    ) -> None:
        self._bound, self._scope, self._unpacking = bound, scope, unpacking
        self._receive, self._send, self._refusal = receive, send, refusal
        self._seen = 0
        self._unpacked = False
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
        try:
            message = await self._next()
        except ApiError as error:
            if not self._answering:
                self._refused = True
                answer = self._refusal(error, self._scope)
                await _refuse(answer, self.receive_on, self._send)
            return {"type": "http.disconnect"}
        return message

    async def _next(self) -> Message:
        if self._unpacking is not None and not self._unpacked:
            message = await self._unpacking.next(self.receive_on)
            self._unpacked = not message.get("more_body", False)
            return message
        message = await self._receive()
        self._arrived = self._arrived or not message.get("more_body", False)
        self._seen += len(message.get("body", b""))
        if self._seen > self._bound.most_bytes:
            raise self._bound.error
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


async def _refuse(response: Response, receive: Receive, send: Send) -> None:
    response.headers["connection"] = "close"
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


def _announced(scope: Scope) -> tuple[int | None, bytes | None]:
    """Return the length and the coding of a body; None as length of one without."""
    length: int | None = 0
    chunked, coding = False, None
    for name, value in scope["headers"]:
        if name == b"content-length":
            length = int(value[:20]) if value.isdigit() else None
        elif name == b"transfer-encoding":
            chunked = True
        elif name == CODING:
            coding = value if coding is None else coding + b"," + value
    return None if chunked else length, coding
