"""Paths as the routes know them, whether or not a proxy left its prefix on."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

__all__ = ["PROBLEMS", "UI", "add_prefix", "locate", "route_path"]

PROBLEMS = "/problems"
"""Below it is a page for each kind of problem: what its ``type`` is the address of."""

UI = "/ui"
"""Below it is the page."""


def route_path(scope: Scope, root_path: str) -> str:
    """Return the request's path without ``root_path`` in front."""
    path: str = scope["path"]
    if root_path and path.startswith(f"{root_path}/"):
        return path[len(root_path) :]
    return path


def add_prefix(scope: Scope, root_path: str) -> None:
    """Put the prefix that a proxy took off back on: ASGI's path begins with it."""
    scope["root_path"] = root_path
    if root_path and not scope["path"].startswith(f"{root_path}/"):
        scope["path"] = root_path + scope["path"]


def locate(request: Request, response: Response, path: str) -> None:
    """Tell in ``Location`` where what was made is described."""
    response.headers["Location"] = request.scope.get("root_path", "") + path
