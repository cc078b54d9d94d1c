"""Web pages of other origins that an operator lets talk to the service (CORS).

Only where keys exist: without them a page of any site could have anything done, so none
is let in (`app.web.gate`). No cookie is meant by it: such a page sends its key itself.
"""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from app.keys.cache import KeyCache

__all__ = ["Origins"]

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_SENT = (
    "authorization",
    "content-type",
    "idempotency-key",
    "inference-header-content-length",
    "last-event-id",
)
_READ = (
    "demur-not-included",
    "demur-notes",
    "demur-rejected",
    "demur-rows",
    "demur-warned",
    "idempotency-replayed",
    "inference-header-content-length",
    "location",
    "retry-after",
    "x-request-id",
)
_MAX_AGE_S = 600


class Origins:
    """Tell browsers that pages of some origins may ask ``inner`` and read its answers.

    Parameters
    ----------
    inner : ASGI application
    origins : tuple of str
        ``https://name`` or ``https://name:port``.
    keys : KeyCache
    """

    def __init__(
        self, inner: ASGIApp, origins: tuple[str, ...], keys: KeyCache
    ) -> None:
        self.inner, self.keys = inner, keys
        self.answering = CORSMiddleware(
            inner,
            allow_origins=origins,
            allow_methods=_METHODS,
            allow_headers=_SENT,
            expose_headers=_READ,
            max_age=_MAX_AGE_S,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a browser's question before a request, and mark answers."""
        valid = self.keys.peek() or self.keys.last()
        app = self.answering if valid.locked else self.inner
        await app(scope, receive, send)
