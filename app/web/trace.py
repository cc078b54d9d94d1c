"""Every request gets an id, is counted, timed, and logged when it failed.

The id is the client's own ``X-Request-ID`` when that is a plain token, else a fresh
one. It goes back in the answer's header, into problems and into the log. Values,
labels, keys and query strings are never logged; a success is logged at ``debug`` only.
"""

import asyncio
import itertools
import logging
import os
import re
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import ServiceUnavailableError
from app.health.metrics import Metrics
from app.web.problems import send_problem

__all__ = ["Trace"]

log = logging.getLogger("app.access")
_STOPPED = (
    "the service stops and could not wait for the end of this request; it may still"
    " take effect"
)
CLIENT_GONE = 499
"""What is noted of a client that hung up before it was answered."""
TOKEN = re.compile(rb"[A-Za-z0-9._-]{1,64}")


class Trace:
    """Wrap ``inner`` with request id, metrics and log."""

    def __init__(self, inner: ASGIApp, metrics: Metrics) -> None:
        self.inner, self.metrics = inner, metrics
        # unlike those of any other process, and cheaper than a random one each
        self._prefix, self._served = os.urandom(4).hex(), itertools.count()

    def _request_id(self, scope: Scope) -> bytes:
        for name, value in scope["headers"]:
            if name == b"x-request-id" and TOKEN.fullmatch(value):
                return bytes(value)
        return f"{self._prefix}{next(self._served) & 0xFFFFFFFF:08x}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request with its id."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        request_id = self._request_id(scope)
        scope["request_id"] = request_id.decode()
        status, begun, began = CLIENT_GONE, False, time.perf_counter()

        async def tracing_send(message: Message) -> None:
            nonlocal status, begun
            if message["type"] == "http.response.start":
                begun = True
                status = message["status"]
                headers = message.get("headers", ())
                message["headers"] = [*headers, (b"x-request-id", request_id)]
            await send(message)

        try:
            await self.inner(scope, receive, tracing_send)
        except asyncio.CancelledError:
            # A stop waits so long and no longer; then nobody else answers.
            if begun:
                raise
            await send_problem(ServiceUnavailableError(_STOPPED), scope, tracing_send)
        except Exception:
            status = status if begun else 500
            raise
        finally:
            self._note(scope, status, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("route")
        path = getattr(route, "path", route) or "unmatched"
        self.metrics.note_request(scope["method"], str(path), status, seconds)
        level = logging.DEBUG if status < 400 else logging.INFO
        if log.isEnabledFor(level):
            log.log(
                level,
                "request",
                extra={
                    "request_id": scope["request_id"],
                    "method": scope["method"],
                    "route": str(path),
                    "status": status,
                    "milliseconds": round(seconds * 1000, 3),
                },
            )
