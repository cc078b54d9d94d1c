"""The service from outside: an HTTP client, the commands built on it, the demo.

``from app.client import Client`` is the one for scripts and notebooks; it is loaded
when asked for, so that the commands start fast.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.client.claims import Claim
    from app.client.files import FileError
    from app.client.problems import ClientError, RefusedError
    from app.client.scripting import Client, Version

__all__ = ["Claim", "Client", "ClientError", "FileError", "RefusedError", "Version"]

_HOMES = {
    "Claim": "claims",
    "Client": "scripting",
    "ClientError": "problems",
    "FileError": "files",
    "RefusedError": "problems",
    "Version": "scripting",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    from importlib import import_module  # noqa: PLC0415 - only when one is asked for

    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
