"""The way in and out, and the files that pages are drawn with."""

from typing import Annotated

from fastapi import Form, Query, Request
from starlette.responses import RedirectResponse, Response

from app.errors import NotFoundError
from app.pages.page import OpenRoute, asset_named, page_router, render
from app.pages.visitor import come_in, leave, safe_place
from app.web.docs import root_of
from app.web.paths import UI

__all__ = ["router"]

router = page_router(OpenRoute)

KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
FOREVER = "public, max-age=31536000, immutable"


@router.get("/login")
def ask_for_key(
    request: Request, place: Annotated[str, Query(alias="next")] = ""
) -> Response:
    """Ask for a key."""
    return render(request, "login.html", place=place, wrong=False)


@router.post("/login")
async def take_key(
    request: Request,
    key: Annotated[str, Form(max_length=1000)] = "",
    place: Annotated[str, Form(alias="next", max_length=4000)] = "",
) -> Response:
    """Begin a session and go on where the last one ended."""
    answer = RedirectResponse(safe_place(request, place), status_code=303)
    if await come_in(request, key, answer):
        return answer
    return render(request, "login.html", status=401, place=place, wrong=True)


@router.post("/logout")
def end_session(request: Request) -> Response:
    """End the session."""
    answer = RedirectResponse(f"{root_of(request)}{UI}/login", status_code=303)
    leave(request, answer)
    return answer


@router.get("/static/{address}")
def static_file(address: str) -> Response:
    """Return a file; its address changes with its content, so it is kept for long."""
    content = asset_named(address)
    if content is None:
        msg = "the page has no such file"
        raise NotFoundError(msg)
    kind = KINDS[address.rpartition(".")[2]]
    return Response(content, media_type=kind, headers={"Cache-Control": FOREVER})
