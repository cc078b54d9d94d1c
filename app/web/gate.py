"""Who may come in.

With keys: every request bears one of them, but for the health and documentation pages.
The comparison takes the same time whatever was sent: digests of equal length, all of
them compared. Without keys the service listens on loopback only, where any web page
that the user has open could talk to it; so a Host header of another name (a name that
was pointed at loopback) or an Origin other than the Host is refused.
"""

import hashlib
import hmac
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import ApiError, ForbiddenError, UnauthorizedError
from app.settings import Settings, is_loopback
from app.web.paths import route_path
from app.web.problems import send_problem

__all__ = ["PUBLIC_PATHS", "Gate"]

PUBLIC_PATHS = frozenset({"/livez", "/readyz", "/docs", "/redoc", "/openapi.json"})
PUBLIC_FOLDER = "/docs/"


class Gate:
    """Let a request through to ``inner``, or answer 401 or 403."""

    def __init__(self, inner: ASGIApp, settings: Settings) -> None:
        self.inner = inner
        self.root_path = settings.root_path
        self.hosts = frozenset(name.lower() for name in settings.allowed_hosts)
        self.keys = [
            hashlib.sha256(key.get_secret_value().encode()).digest()
            for key in settings.api_keys
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request; everything else passes."""
        error = None
        if scope["type"] == "http":
            error = self._foreign(scope) if not self.keys else self._keyless(scope)
        if error is not None:
            await send_problem(error, scope, send)
            return
        await self.inner(scope, receive, send)

    def _keyless(self, scope: Scope) -> ApiError | None:
        path = route_path(scope, self.root_path)
        if path in PUBLIC_PATHS or path.startswith(PUBLIC_FOLDER):
            return None
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) == 1 and self._known(given[0]):
            return None
        return UnauthorizedError(UnauthorizedError.example)

    def _known(self, header: bytes) -> bool:
        scheme, _, key = header.partition(b" ")
        digest = hashlib.sha256(key.strip()).digest()
        matches = [hmac.compare_digest(digest, known) for known in self.keys]
        return scheme.lower() == b"bearer" and any(matches)

    def _foreign(self, scope: Scope) -> ApiError | None:
        hosts, origins = [], []
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value)
            elif name == b"origin":
                origins.append(value)
        if len(hosts) != 1 or not self._local(
            _name(host := hosts[0].decode("latin-1"))
        ):
            return ForbiddenError(
                "the Host header names another machine; without DEMUR_API_KEYS only "
                "loopback names are served, and those in DEMUR_ALLOWED_HOSTS"
            )
        if origins and any(_site(origin) != host.lower() for origin in origins):
            return ForbiddenError(
                "the Origin header names another site; without DEMUR_API_KEYS no web "
                "page but the service's own may talk to it"
            )
        return None

    def _local(self, name: str) -> bool:
        return name in self.hosts or is_loopback(name)


def _site(origin: bytes) -> str:
    """Return ``name:port`` of an origin; nothing for one that is none."""
    try:
        return urlsplit(origin.decode("latin-1")).netloc.lower()
    except ValueError:
        return ""


def _name(host: str) -> str:
    """Return the name of ``name:port`` or ``[address]:port``, in lower case."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()
