"""pyarrow's file system of a store's URL, made once in each process that uses it.

It is made when it is first needed, never at import: its client has threads, which a
fork would lose.
"""

import re
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

__all__ = ["OPTIONS", "SCHEMES", "check_place", "file_system"]

OPTIONS = {
    "s3": {"endpoint_override", "region", "scheme"},
    "gs": {"endpoint_override", "scheme"},
    "abfs": set[str](),
    "abfss": set[str](),
}
"""What a URL may say behind its question mark: nothing that is secret."""

SCHEMES = tuple(OPTIONS)
_NAMED = re.compile(r"[A-Za-z0-9._~@-]+")
_CONNECT_S = 3
_ATTEMPTS = 3


def check_place(url: str) -> str:
    """Return a folder or URL; refuse one without a bucket, or with credentials.

    Raises
    ------
    ValueError
        With what is taken; the URL is not repeated.
    """
    if "://" not in url:
        return url
    parts = urlsplit(url)
    if parts.scheme not in OPTIONS:
        msg = f"a store is a folder, or {', '.join(f'{s}://...' for s in SCHEMES)}"
        raise ValueError(msg)
    known = OPTIONS[parts.scheme]
    if not _NAMED.fullmatch(parts.netloc):
        msg = (
            "a store's URL is scheme://BUCKET/PREFIX (abfs://CONTAINER@ACCOUNT.../):"
            " credentials come from the environment"
        )
        raise ValueError(msg)
    if "@" in parts.netloc and not parts.scheme.startswith("abfs"):
        msg = "credentials come from the environment, never with a store's URL"
        raise ValueError(msg)
    if parts.fragment or {name for name, _ in parse_qsl(parts.query)} - known:
        taken = ", ".join(sorted(known)) or "nothing"
        msg = f"behind the question mark {parts.scheme}:// takes {taken}"
        raise ValueError(msg)
    return url


@cache
def file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a checked URL, and the path in it.

    Credentials are those that the clouds' own tools find: of the environment, of a
    profile, or of the machine.
    """
    from pyarrow import fs  # noqa: PLC0415 - a client with threads

    parts = urlsplit(url)
    if parts.scheme != "s3":
        system, path = fs.FileSystem.from_uri(url)
        return system, path.rstrip("/")
    system = fs.S3FileSystem(
        **dict(parse_qsl(parts.query)),
        connect_timeout=_CONNECT_S,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
        allow_delayed_open=True,  # a small object is one request
    )
    return system, f"{parts.netloc}{parts.path}".rstrip("/")
