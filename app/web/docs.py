"""The documentation pages, their scripts served by the service itself.

They work without internet, and behind a proxy's prefix: every address on a page begins
with the root path of the request.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.openapi.docs import get_redoc_html, get_swagger_ui_html
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

from app.errors import NotFoundError

__all__ = ["ASSETS", "GUIDE", "install", "install_guide", "root_of"]

ASSETS = "/docs/assets"
GUIDE = "/guide"
BUILT_GUIDE = Path(__file__).parents[1] / "guide"

# The guide's pages choose their colours by scripts of their own; they show no data.
GUIDE_POLICY = (
    b"default-src 'self'; script-src 'self' 'unsafe-inline'; worker-src 'self' blob:;"
    b" style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
)

# Redoc's script shows its maker's logo from the maker's own server.
REDOC_SCRIPT = "/docs/redoc.js"
REDOC_LOGO = b"https://cdn.redoc.ly/redoc/logo-mini.svg"
NO_PICTURE = (
    b"data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="
)


def install(app: FastAPI) -> None:
    """Add /docs, /redoc, /guide and what they load to ``app``."""
    install_guide(app, BUILT_GUIDE)
    app.mount(
        ASSETS,
        StaticFiles(directory=str(files("fastapi_offline") / "static")),
        name="documentation-assets",
    )

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> HTMLResponse:
        root = root_of(request)
        return get_swagger_ui_html(
            openapi_url=f"{root}/openapi.json",
            title=f"{app.title}: try it",
            swagger_js_url=f"{root}{ASSETS}/swagger-ui-bundle.js",
            swagger_css_url=f"{root}{ASSETS}/swagger-ui.css",
            swagger_favicon_url=f"{root}{ASSETS}/favicon.png",
        )

    @app.get(REDOC_SCRIPT, include_in_schema=False)
    async def redoc_script() -> Response:
        return Response(
            _redoc_script(),
            media_type="text/javascript",
            headers={"Cache-Control": "max-age=86400"},
        )

    @app.get("/redoc", include_in_schema=False)
    async def redoc(request: Request) -> HTMLResponse:
        root = root_of(request)
        return get_redoc_html(
            openapi_url=f"{root}/openapi.json",
            title=f"{app.title}: reference",
            redoc_js_url=f"{root}{REDOC_SCRIPT}",
            redoc_favicon_url=f"{root}{ASSETS}/favicon.png",
            with_google_fonts=False,
        )


def install_guide(app: FastAPI, folder: Path) -> None:
    """Add /guide, the documentation that `make guide` builds into ``folder``."""

    @app.get(GUIDE, include_in_schema=False)
    async def guide(request: Request) -> Response:
        if not (folder / "index.html").is_file():
            msg = (
                "the guide was not built here: `make guide` builds it from the"
                " project's docs folder, where it can be read as it is"
            )
            raise NotFoundError(msg)
        return RedirectResponse(f"{root_of(request)}{GUIDE}/")

    if folder.is_dir():
        app.mount(GUIDE, _Guide(directory=folder, html=True), name="guide")


class _Guide(StaticFiles):
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                policy = (b"content-security-policy", GUIDE_POLICY)
                message["headers"] = [*message["headers"], policy]
            await send(message)

        await super().__call__(scope, receive, guarded)


@cache
def _redoc_script() -> bytes:
    """Return Redoc's script with nothing to fetch from elsewhere."""
    script = files("fastapi_offline") / "static" / "redoc.standalone.js"
    return script.read_bytes().replace(REDOC_LOGO, NO_PICTURE)


def root_of(request: Request) -> str:
    """Return the prefix under which a proxy publishes the service."""
    return str(request.scope.get("root_path", "")).rstrip("/")
