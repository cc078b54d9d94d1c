"""The header ``Idempotency-Key``, as every route that takes it understands it."""

from typing import Annotated, Any

from fastapi import Header, Request

from app.choices import shape
from app.jobs.replays import Repeatable

__all__ = ["REPLAYED", "IdempotencyKey", "repeatable"]

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=shape(r"^[!-~]+$", "visible ASCII characters only"),
        description="A fresh token of visible ASCII for each request that is meant "
        "once. Sent again with the same body, byte for byte, to the same address, by "
        "the same API key, it gets the first answer again and nothing is done; with "
        "another body or to another address 409. It is remembered for "
        "DEMUR_IDEMPOTENCY_HOURS (24).",
        examples=["8e03978e-40d5-43e8-bc93-6894a57f9324"],
    ),
]

REPLAYED: dict[str, Any] = {
    "Idempotency-Replayed": {
        "description": "`true` where this is an earlier answer again.",
        "schema": {"type": "string"},
    }
}


def repeatable(
    request: Request, key: str | None, body: bytes, target: str = ""
) -> Repeatable | None:
    """Return the digests of a request that may come again; None without a key.

    Parameters
    ----------
    request : Request
    key : str, optional
        The header.
    body : bytes
    target : str
        What of the address is part of the request; two never share an answer.
    """
    if key is None:
        return None
    sender = request.headers.get("authorization", "")
    return Repeatable.of(sender, key, body, target)
