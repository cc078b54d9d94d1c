"""What every screen is made with: its route, its headers, its words, its template.

The template engine is loaded when the first page is asked for, and no sooner.
"""

import hashlib
import re
import tomllib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.errors import ApiError, MalformedRequestError
from app.pages.visitor import (
    LostSessionError,
    admit,
    place_of,
    require_own,
    visitor_of,
)
from app.web.docs import root_of
from app.web.failures import logged_problem
from app.web.paths import UI
from app.web.validation import refusal

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = [
    "HEADERS",
    "NAV",
    "OpenRoute",
    "PageRoute",
    "asset_named",
    "error_in_words",
    "go",
    "page_router",
    "render",
    "say",
]

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        " connect-src 'self'; form-action 'self'; frame-ancestors 'none';"
        " base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A screen that every page links to, and the call that one must be able to make."""

    name: str
    path: str
    method: str
    call: str


NAV: tuple[Entry, ...] = (
    Entry("models", "", "GET", "/models"),
    Entry("train", "/train", "POST", "/train"),
    Entry("decide", "/decide", "POST", "/predict"),
    Entry("review", "/review", "POST", "/claims"),
    Entry("cases", "/cases", "GET", "/cases"),
)


class PageRoute(APIRoute):
    """A route whose errors are pages, and which asks who comes."""

    asks: ClassVar[bool] = True

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        inner = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                if request.method == "POST":
                    require_own(request)
                if self.asks:
                    await admit(request)
                answer = await inner(request)
            except LostSessionError:
                where = urlencode({"next": place_of(request)})
                answer = go(request, f"/login?{where}")
            except RequestValidationError as error:
                answer = _failed(request, refusal(error.errors(), self))
            except HTTPException:
                answer = _failed(request, MalformedRequestError("the form is damaged"))
            except ClientDisconnect:
                raise
            except Exception as error:  # noqa: BLE001 - told there, with its trace
                answer = _failed(request, logged_problem(error, "a page failed"))
            for name, value in HEADERS.items():
                answer.headers.setdefault(name, value)
            answer.headers.setdefault("Cache-Control", "no-store")
            return answer

        return handle


class OpenRoute(PageRoute):
    """A route that anybody may see: the way in, and what pages are drawn with."""

    asks = False


def page_router(route_class: type[PageRoute] = PageRoute) -> APIRouter:
    """Return a router of pages below /ui."""
    return APIRouter(prefix=UI, route_class=route_class, include_in_schema=False)


def go(request: Request, path: str) -> Response:
    """Send the browser on to a path below /ui, to be got."""
    return RedirectResponse(f"{root_of(request)}{UI}{path}", status_code=303)


def error_in_words(error: ApiError) -> str:
    """Return what an error says in the words of the page, which has no calls to make.

    The catalogue has words of its own for some kinds; of others, the part that names a
    call of the REST interface is left out.
    """
    words = _catalogue().get(f"problems.{error.slug}")
    text = words or _CALL.sub("", error.detail)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _uncoded(text: str) -> str:
    """Return what a training or a prediction says, without the code in front of it."""
    return _CODE.sub("", text)


_CODE = re.compile(r"^(/[^\s:]*|[a-z]+_[a-z_]+): ")
_CALL = re.compile(r"[;:(][^;:(]*\b(GET|POST|PUT|DELETE) /.*$")


def _failed(request: Request, error: ApiError) -> Response:
    """Return a page that says what is wrong and what to do."""
    back = place_of(request) if request.method == "POST" else ""
    return render(request, "error.html", status=error.status, error=error, back=back)


def render(
    request: Request,
    template: str,
    *,
    status: int = 200,
    here: str = "",
    **context: Any,
) -> Response:
    """Return a page.

    Parameters
    ----------
    request : Request
    template : str
        The name of its file.
    status : int
    here : str
        Which entry of the navigation it belongs to.
    **given
        What the template shows.
    """
    root = f"{root_of(request)}{UI}"
    visitor = getattr(request.state, "visitor", None)

    def may(method: str, path: str) -> bool:
        return visitor is not None and visitor_of(request).may(method, path)

    page = _environment().get_template(template)
    text = page.render(
        root=root,
        link=lambda path="": f"{root}{path}",
        asset=lambda name: f"{root}/static/{asset_address(name)}",
        visitor=visitor,
        may=may,
        nav=[entry for entry in NAV if may(entry.method, entry.call)],
        here=here,
        request_id=request.scope.get("request_id"),
        **context,
    )
    return HTMLResponse(text, status_code=status)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - 11 MB

    made = Environment(
        loader=PackageLoader("app.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["say"] = say
    made.filters.update(moment=_moment, count=_count, money=_money, percent=_percent)
    made.filters.update(plain=error_in_words, uncoded=_uncoded)
    return made


@cache
def _catalogue() -> dict[str, str]:
    tables = tomllib.loads((files("app.pages") / "en.toml").read_text("utf-8"))
    return {
        f"{table}.{key}": text
        for table, entries in tables.items()
        for key, text in entries.items()
    }


def say(key: str, **values: Any) -> str:
    """Return the words of a key, with what was given put into them.

    Parameters
    ----------
    key : str
        ``table.key`` of the catalogue; where n is 1, ``table.key_one`` if it is there.
    **given
        What stands in braces; whole numbers get separators.
    """
    words = _catalogue()
    if values.get("n") == 1:
        key = f"{key}_one" if f"{key}_one" in words else key
    shown = {
        name: _count(value) if isinstance(value, int) else value
        for name, value in values.items()
    }
    return words[key].format(**shown)


def _moment(at: datetime) -> Markup:
    """Return a moment; the browser shows it in its own zone."""
    return Markup('<time datetime="{}">{} UTC</time>').format(
        at.isoformat(), at.strftime("%Y-%m-%d %H:%M")
    )


def _count(value: float) -> str:
    return f"{round(value):,}"


def _money(value: float | None) -> str:
    """Return a price or a mean cost to three digits."""
    if value is None:
        return say("common.none")
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _percent(value: float | None) -> str:
    if value is None:
        return say("common.none")
    digits = 0 if value in {0.0, 1.0} else 1 if value >= 0.1 else 2
    return f"{100 * value:.{digits}f} %"


@cache
def _assets() -> dict[str, tuple[str, bytes]]:
    """Return the files that pages load: by name, an address with its content's hash."""
    addresses = {}
    for file in (files("app.pages") / "static").iterdir():
        content = file.read_bytes()
        stem, _, ending = file.name.rpartition(".")
        mark = hashlib.sha256(content).hexdigest()[:16]
        addresses[file.name] = (f"{stem}.{mark}.{ending}", content)
    return addresses


def asset_address(name: str) -> str:
    """Return the last part of a file's address."""
    return _assets()[name][0]


def asset_named(address: str) -> bytes | None:
    """Return the content of the file that has this address."""
    known = dict(_assets().values())
    return known.get(address)
