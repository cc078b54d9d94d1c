"""Paths as the routes know them, whether or not a proxy left its prefix on."""

from starlette.types import Scope

__all__ = ["route_path"]


def route_path(scope: Scope, root_path: str) -> str:
    """Return the request's path without ``root_path`` in front."""
    path: str = scope["path"]
    if root_path and path.startswith(f"{root_path}/"):
        return path[len(root_path) :]
    return path
