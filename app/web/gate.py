"""Who may come in, and to what.

With keys: every request bears one whose scope allows it, but for the health pages and,
unless they are switched off, those of the documentation. Without keys the service
listens on loopback only, where any web page that the user has open could talk to it;
so a Host header of another name (a name that was pointed at loopback) or an Origin
other than the Host is refused.
"""

import logging
from contextlib import suppress
from urllib.parse import urlsplit

from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import (
    ApiError,
    ForbiddenError,
    MissingScopeError,
    UnauthorizedError,
)
from app.keys.ring import KeyRing, Ring
from app.keys.scopes import allows, needed
from app.keys.secret import match
from app.settings import Settings, is_loopback
from app.web.failures import translate
from app.web.paths import route_path
from app.web.problems import send_problem

__all__ = ["HEALTH_PATHS", "PUBLIC_PATHS", "Gate"]

log = logging.getLogger(__name__)

HEALTH_PATHS = frozenset({"/livez", "/readyz"})
PUBLIC_PATHS = HEALTH_PATHS | {"/docs", "/redoc", "/openapi.json"}
PUBLIC_FOLDER = "/docs/"


class Gate:
    """Let a request through to ``inner``, or answer 401 or 403."""

    def __init__(self, inner: ASGIApp, settings: Settings, keys: KeyRing) -> None:
        self.inner, self.keys = inner, keys
        self.root_path = settings.root_path
        self.docs = settings.docs
        self.hosts = frozenset(name.lower() for name in settings.allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request; everything else passes."""
        error = await self._refusal(scope) if scope["type"] == "http" else None
        if error is not None:
            await send_problem(error, scope, send)
            return
        await self.inner(scope, receive, send)

    async def _refusal(self, scope: Scope) -> ApiError | None:
        path = route_path(scope, self.root_path)
        public = self._public(path)
        ring = self.keys.peek()
        if ring is None:
            try:
                ring = await self._ring(path, public=public)
            except Exception as error:
                log.exception("the keys cannot be read")
                return self._without_database(scope, path, translate(error))
        if not ring.locked:
            return self._foreign(scope)
        return None if public else self._keyless(scope, path, ring)

    def _public(self, path: str) -> bool:
        if path in HEALTH_PATHS:
            return True
        return self.docs and (path in PUBLIC_PATHS or path.startswith(PUBLIC_FOLDER))

    async def _ring(self, path: str, *, public: bool) -> Ring:
        """Ask for the keys; health pages never wait for the database."""
        if path in HEALTH_PATHS:
            self.keys.warm()
            return self.keys.last()
        if public:
            with suppress(SQLAlchemyError):
                return await self.keys.current()
            return self.keys.last()
        return await self.keys.current()

    def _without_database(
        self, scope: Scope, path: str, error: ApiError
    ) -> ApiError | None:
        """Let in by the settings' own keys alone; others hear that it is away."""
        refusal = self._keyless(scope, path, self.keys.fixed)
        return error if isinstance(refusal, UnauthorizedError) else refusal

    @staticmethod
    def _keyless(scope: Scope, path: str, ring: Ring) -> ApiError | None:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        held = None
        if len(given) == 1:
            scheme, _, key = given[0].partition(b" ")
            # looked for in any case: a wrong scheme takes as long as a wrong key
            held = match(key.strip(), ring.keys)
            held = held if scheme.lower() == b"bearer" else None
        if held is None:
            return UnauthorizedError(UnauthorizedError.example)
        wanted = needed(scope["method"], path)
        if allows(held, wanted):
            return None
        return MissingScopeError(
            f"this needs a key of scope {wanted}; the key that was sent has {held}"
        )

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
                "the Host header names another machine; without keys only loopback"
                " names are served, and those in DEMUR_ALLOWED_HOSTS"
            )
        if origins and any(_site(origin) != host.lower() for origin in origins):
            return ForbiddenError(
                "the Origin header names another site; without keys no web page but"
                " the service's own may talk to it"
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
