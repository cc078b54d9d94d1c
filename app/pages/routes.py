"""All pages below /ui, and the way there for a browser that asks for /."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.errors import NotFoundError
from app.pages import (
    cases,
    decide,
    entrance,
    models,
    monitor,
    new_model,
    report,
    review,
)
from app.pages.page import go, page_router

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/")
def lead_there(request: Request) -> Response:
    """Send a browser to the page; nothing else lives here."""
    if "text/html" in request.headers.get("accept", ""):
        return go(request, "")
    msg = "no route has this path; see /docs, or /ui in a browser"
    raise NotFoundError(msg)


_nowhere = page_router()


@_nowhere.get("/{path:path}")
def nothing_here(path: str) -> Response:
    """Answer that there is no such page."""
    del path
    msg = "there is no such page"
    raise NotFoundError(msg)


for screen in (
    entrance,
    models,
    monitor,
    report,
    review,
    cases,
    decide,
    new_model,
):
    router.include_router(screen.router)
router.include_router(_nowhere)
