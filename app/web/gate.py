"""The gate: which requests are let in.

With keys, every request needs a key whose scopes allow it. Health and documentation
pages need none, and the page under /ui asks for a key itself (`app.pages.visitor`).

Without keys the service listens on loopback only. Any web page that the user has open
could talk to it there, so three kinds of requests are refused: those whose Host is
another name (which was pointed at loopback), those whose Origin is not the Host, and
those that the browser marks as another site's, unless the user follows a link.
"""

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
from app.keys.cache import KeyCache, ValidKeys
from app.keys.scopes import allows, needed, words
from app.keys.secret import match
from app.setting_texts import is_loopback
from app.settings import Settings
from app.web.failures import logged_problem
from app.web.paths import PROBLEMS, UI, route_path
from app.web.problems import send_problem

__all__ = ["HEALTH_PATHS", "PUBLIC_PATHS", "Gate"]

HEALTH_PATHS = frozenset(
    {"/livez", "/readyz", "/ping", "/v2/health/live", "/v2/health/ready"}
)
PUBLIC_PATHS = HEALTH_PATHS | {"/docs", "/redoc", "/openapi.json", "/guide"}
PUBLIC_FOLDERS = ("/docs/", "/guide/")
_OWN = frozenset({b"same-origin", b"none"})
"""What browsers say of the service's own pages, and of what the user asks for."""


class Gate:
    """Let a request through to ``inner``, or answer 401 or 403."""

    def __init__(self, inner: ASGIApp, settings: Settings, keys: KeyCache) -> None:
        self.inner, self.keys = inner, keys
        self.root_path = settings.root_path
        self.docs, self.ui = settings.docs, settings.ui
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
        public = self._public(path) or (path == "/" and self.ui and _reads_pages(scope))
        valid = self.keys.peek()
        if valid is None:
            try:
                valid = await self._valid_keys(path, public=public)
            except Exception as error:  # noqa: BLE001 - told there
                problem = logged_problem(error, "the keys cannot be read")
                return self._without_database(scope, path, problem)
        if not valid.locked:
            return self._foreign(scope)
        return None if public else self._keyless(scope, path, valid)

    def _public(self, path: str) -> bool:
        if path in HEALTH_PATHS or path == PROBLEMS or path.startswith(f"{PROBLEMS}/"):
            return True
        if self.ui and (path == UI or path.startswith(f"{UI}/")):
            return True
        return self.docs and (path in PUBLIC_PATHS or path.startswith(PUBLIC_FOLDERS))

    async def _valid_keys(self, path: str, *, public: bool) -> ValidKeys:
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
    def _keyless(scope: Scope, path: str, valid: ValidKeys) -> ApiError | None:
        headers = [
            value for name, value in scope["headers"] if name == b"authorization"
        ]
        held = None
        if len(headers) == 1:
            scheme, _, key = headers[0].partition(b" ")
            # looked for in any case: a wrong scheme takes as long as a wrong key
            held = match(key.strip(), valid.keys)
            held = held if scheme.lower() == b"bearer" else None
        if held is None:
            return UnauthorizedError(UnauthorizedError.example)
        wanted = needed(scope["method"], path)
        if allows(held.scopes, wanted):
            scope["person"] = held.person
            return None
        return MissingScopeError(
            f"this needs a key of scope {words(wanted, 'or')}; the key that was sent"
            f" has {words(held.scopes) if held.scopes else 'none'}"
        )

    def _foreign(self, scope: Scope) -> ApiError | None:
        hosts, origins, site = [], [], b"none"
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value)
            elif name == b"origin":
                origins.append(value)
            elif name == b"sec-fetch-site":
                site = value.lower()
        if len(hosts) != 1 or not self._local(
            _name(host := hosts[0].decode("latin-1"))
        ):
            return ForbiddenError(
                "the Host header names another machine; without keys only loopback"
                " names are served, and those in DEMUR_ALLOWED_HOSTS"
            )
        foreign = any(_site(origin) != host.lower() for origin in origins)
        if foreign or (site not in _OWN and not _is_followed_link(scope)):
            return ForbiddenError(
                "the request comes from another site (Origin, Sec-Fetch-Site); without"
                " keys no web page but the service's own may talk to it"
            )
        return None

    def _local(self, name: str) -> bool:
        return name in self.hosts or is_loopback(name)


def _reads_pages(scope: Scope) -> bool:
    """Tell whether a browser asks, to show what it gets."""
    return any(k == b"accept" and b"text/html" in v for k, v in scope["headers"])


def _is_followed_link(scope: Scope) -> bool:
    """Tell whether a user goes to a page, which the page they come from cannot read."""
    headers = {name: value.lower() for name, value in scope["headers"]}
    return (
        scope["method"] in ("GET", "HEAD")
        and headers.get(b"sec-fetch-mode") == b"navigate"
        and headers.get(b"sec-fetch-dest") == b"document"
    )


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
