"""Who looks at the page: a session's key, or anybody where there are no keys.

A POST is taken only from a page of the service itself: where the browser says whence it
comes (``Sec-Fetch-Site``, on https and loopback) that has to be ``same-origin``, and
``Origin`` has to be the host that was asked. A page that looks again by itself
(``X-Poll``) keeps no session alive. The cookie opens nothing but /ui.
"""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from app.errors import ForbiddenError, MissingScopeError
from app.keys import sessions
from app.keys.cache import KeyCache, ValidKeys
from app.keys.scopes import Scope, allows, needed, words
from app.keys.secret import KnownKey, match
from app.state import state_of
from app.web.docs import root_of
from app.web.paths import UI

__all__ = [
    "LostSessionError",
    "Visitor",
    "admit",
    "come_in",
    "leave",
    "opens",
    "place_of",
    "require_own",
    "safe_place",
    "visitor_of",
]


class LostSessionError(Exception):
    """There is no session, or it has ended: the visitor has to come in anew."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever looks: what they may do, and who they are."""

    scopes: tuple[Scope, ...]
    person: str | None
    keyed: bool
    """Whether they came in by a key, and so can leave."""

    def may(self, method: str, path: str) -> bool:
        """Tell whether they may make a call of the REST interface."""
        return allows(self.scopes, needed(method, path))


_ANYBODY = Visitor(("admin",), None, keyed=False)


async def admit(request: Request) -> None:
    """Find out who asks, and keep it with the request.

    Raises
    ------
    LostSessionError
        When a key is needed and no session stands for one.
    """
    valid = await _valid_keys(request)
    visitor = _ANYBODY
    if valid.locked:
        token = request.cookies.get(_cookie(request), "")
        key = await run_in_threadpool(_holder, request, token, valid) if token else None
        if key is None:
            raise LostSessionError
        visitor = Visitor(key.scopes, key.person, keyed=True)
    request.scope["person"] = visitor.person
    request.state.visitor = visitor


async def _valid_keys(request: Request) -> ValidKeys:
    keys: KeyCache = request.app.state.keys
    return keys.peek() or await keys.current()


def _holder(request: Request, token: str, valid: ValidKeys) -> KnownKey | None:
    database = state_of(request).database
    with database.read() as session:
        held = sessions.holder(session, token, valid.keys)
    if held is None:
        return None
    key, row = held
    if sessions.is_due(row) and "x-poll" not in request.headers:
        with database.write() as session:
            sessions.touch(session, token)
    return key


def visitor_of(request: Request) -> Visitor:
    """Return who asks."""
    visitor: Visitor = request.state.visitor
    return visitor


def opens(method: str, path: str) -> Callable[[Request], None]:
    """Return a dependency that lets in who may make this call of the interface.

    Parameters
    ----------
    method : str
    path : str
        Any address of the kind, such as ``/models/x/monitor``.
    """

    def check(request: Request) -> None:
        if not visitor_of(request).may(method, path):
            wanted = words(needed(method, path), "or")
            msg = f"this needs a key of scope {wanted}: leave, and come in with one"
            raise MissingScopeError(msg)

    return check


def require_own(request: Request) -> None:
    """Refuse what another site sends.

    Raises
    ------
    ForbiddenError
        When the request does not say that it comes from a page of this service.
    """
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = urlsplit(request.headers.get("origin", "")).netloc.lower()
    if site != "same-origin" or origin != request.headers.get("host", "").lower():
        msg = "the form was not sent by a page of this service: open the page anew"
        raise ForbiddenError(msg)


async def come_in(request: Request, key: str, response: Response) -> bool:
    """Begin a session of a key; tell whether the key is known.

    Parameters
    ----------
    request : Request
    key : str
        As it was typed.
    response : Response
        Gets the cookie.
    """
    valid = await _valid_keys(request)
    known = match(key.strip().encode(), valid.keys)
    if known is None:
        return False

    def begin() -> str:
        with state_of(request).database.write() as session:
            return sessions.begin(session, known)

    token = await run_in_threadpool(begin)
    secure = request.url.scheme == "https"
    response.set_cookie(
        _cookie(request),
        token,
        path="/" if secure else f"{root_of(request)}{UI}",
        secure=secure,
        httponly=True,
        samesite="strict",
    )
    return True


def leave(request: Request, response: Response) -> None:
    """End the session."""
    name = _cookie(request)
    with state_of(request).database.write() as session:
        sessions.end(session, request.cookies.get(name, ""))
    secure = request.url.scheme == "https"
    path = "/" if secure else f"{root_of(request)}{UI}"
    response.delete_cookie(
        name, path=path, secure=secure, httponly=True, samesite="strict"
    )


def _cookie(request: Request) -> str:
    """Return the cookie's name; on https one that no other host can set."""
    return "__Host-demur" if request.url.scheme == "https" else "demur"


def place_of(request: Request) -> str:
    """Return where somebody who comes in anew goes on: the page that was looked at."""
    if request.method == "GET":
        query = f"?{request.url.query}" if request.url.query else ""
        return f"{request.url.path}{query}"
    came = urlsplit(request.headers.get("referer", ""))
    if came.netloc.lower() != request.headers.get("host", "").lower():
        return f"{root_of(request)}{UI}"
    return f"{came.path}?{came.query}" if came.query else came.path


def safe_place(request: Request, place: str) -> str:
    """Return a place if it is one of the page's, else the page's beginning."""
    home = f"{root_of(request)}{UI}"
    plain = place.isprintable() and "\\" not in place
    if plain and place.partition("?")[0].startswith(f"{home}/"):
        return quote(place, safe="/?&=%+:,.~-_")
    return home
