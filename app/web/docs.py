"""The documentation pages, their scripts served by the service itself.

They work without internet, and behind a proxy's prefix: every address on a page begins
with the root path of the request.
"""

from functools import cache
from importlib.resources import files

from fastapi import FastAPI, Request
from fastapi.openapi.docs import get_redoc_html, get_swagger_ui_html
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

__all__ = ["ASSETS", "install"]

ASSETS = "/docs/assets"

# Redoc's script shows its maker's logo from the maker's own server.
REDOC_SCRIPT = "/docs/redoc.js"
REDOC_LOGO = b"https://cdn.redoc.ly/redoc/logo-mini.svg"
NO_PICTURE = (
    b"data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="
)


def install(app: FastAPI) -> None:
    """Add /docs, /redoc and what they load to ``app``."""
    app.mount(
        ASSETS,
        StaticFiles(directory=str(files("fastapi_offline") / "static")),
        name="documentation-assets",
    )

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> HTMLResponse:
        root = _root(request)
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
        root = _root(request)
        return get_redoc_html(
            openapi_url=f"{root}/openapi.json",
            title=f"{app.title}: reference",
            redoc_js_url=f"{root}{REDOC_SCRIPT}",
            redoc_favicon_url=f"{root}{ASSETS}/favicon.png",
            with_google_fonts=False,
        )


@cache
def _redoc_script() -> bytes:
    """Return Redoc's script with nothing to fetch from elsewhere."""
    script = files("fastapi_offline") / "static" / "redoc.standalone.js"
    return script.read_bytes().replace(REDOC_LOGO, NO_PICTURE)


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", "")).rstrip("/")
