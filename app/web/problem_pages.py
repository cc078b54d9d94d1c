"""GET /problems/NAME: what the ``type`` of a problem is the address of.

A page for each kind of error, made of what its class says of itself.
"""

from collections.abc import Iterator
from html import escape
from http import HTTPStatus
from inspect import getdoc

from fastapi import FastAPI, Request
from starlette.responses import HTMLResponse

from app.errors import ApiError, NotFoundError
from app.web.docs import root_of
from app.web.paths import PROBLEMS

__all__ = ["install", "kinds"]

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 42em; margin: 3em auto;
padding: 0 1em }} code {{ background: #8882; padding: .1em .3em }}</style></head>
<body>{body}</body></html>
"""
_TRANSIENT = {HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.INSUFFICIENT_STORAGE}


def kinds() -> dict[str, type[ApiError]]:
    """Return every kind of problem by the last part of its address."""
    return {kind.slug: kind for kind in sorted(_all(ApiError), key=lambda k: k.slug)}


def _all(kind: type[ApiError]) -> Iterator[type[ApiError]]:
    if "slug" in vars(kind):
        yield kind
    for narrower in kind.__subclasses__():
        yield from _all(narrower)


def install(app: FastAPI) -> None:
    """Add the pages to ``app``."""

    @app.get(PROBLEMS, include_in_schema=False)
    async def problems(request: Request) -> HTMLResponse:
        base = f"{root_of(request)}{PROBLEMS}"
        items = "".join(
            f'<li><a href="{base}/{slug}"><code>{slug}</code></a>'
            f" ({kind.status}): {escape(kind.title)}</li>"
            for slug, kind in kinds().items()
        )
        return _page("Problems", f"<h1>Problems</h1><ul>{items}</ul>")

    @app.get(f"{PROBLEMS}/{{name}}", include_in_schema=False)
    async def problem(name: str, request: Request) -> HTMLResponse:
        kind = kinds().get(name)
        if kind is None:
            msg = f"no kind of problem has this name; see {PROBLEMS}"
            raise NotFoundError(msg)
        root = root_of(request)
        links = f'<a href="{root}{PROBLEMS}">All problems</a>'
        return _page(kind.title, f"{_explained(kind)}<p>{links}</p>")


def _page(title: str, body: str) -> HTMLResponse:
    return HTMLResponse(_PAGE.format(title=f"Demur: {escape(title)}", body=body))


def _explained(kind: type[ApiError]) -> str:
    status = HTTPStatus(kind.status)
    paragraphs = (
        escape(" ".join((getdoc(kind) or "").split("\n\n")[0].split())),
        f"It is answered with status {status.value} ({escape(status.phrase)})."
        f" {escape(_what_to_do(kind))}",
        f"For example: <q>{escape(kind.example)}</q>",
        "<code>detail</code> and, where there are several faults, <code>errors</code>"
        " say what it is in your case; <code>request_id</code> finds it in the log.",
    )
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<h1>{escape(kind.title)}</h1>{text}"


def _what_to_do(kind: type[ApiError]) -> str:
    """Return who has to do something before the same request can succeed."""
    if kind.status in _TRANSIENT:
        with_seconds = "retry-after" in kind.headers
        wait = ", after the seconds in Retry-After" if with_seconds else ""
        return f"The same request may succeed later{wait}."
    if kind.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return (
            "The request was not at fault: who runs the service finds why in its log."
        )
    return "The request has to change before it can succeed."
