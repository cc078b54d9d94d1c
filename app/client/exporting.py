"""A version written as one file that decides without the service."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from app.client.files import FileError
from app.client.http import Connection, model_path
from app.client.showing import warn

__all__ = ["export"]


def export(
    client: Connection,
    errors: Console,
    model: str,
    query: Mapping[str, str],
    output: Path | None,
) -> tuple[dict[str, Any], Callable[[Console], None]]:
    """Write a version as a file; return where it is and what it leaves out."""
    version = client.version(model)
    name, number = version["name"], version["version"]
    answer = client.file(f"{model_path(name)}/versions/{number}/export", query)
    named = answer.headers["content-disposition"].partition('"')[2].rstrip('"')
    path = output or Path(named)
    try:
        path.write_bytes(answer.content)
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}"
        raise FileError(msg) from None
    left_out = answer.headers.get("demur-not-included", "")
    missing = [each for each in left_out.split(", ") if each]
    warn(missing, errors, "not included")
    facts = {"file": str(path), "bytes": len(answer.content), "not_included": missing}
    return facts, lambda out: out.print(
        f"{path}: {len(answer.content)} bytes", markup=False
    )
