"""The body of a request: received whole, or as a schema of ours reads its JSON."""

from typing import Annotated, TypeVar

import msgspec
from fastapi import Depends
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.types import Receive

from app.errors.faults import no_object, not_json, refuse
from app.errors.validation import field_errors

__all__ = ["SentBody", "body_of", "read_json", "receive_body"]

Body = TypeVar("Body", bound=BaseModel)

_OBJECT = msgspec.json.Decoder(dict)


async def receive_body(receive: Receive) -> bytes | None:
    """Return the body that an ASGI application receives; None: the client has gone."""
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


async def body_of(request: Request) -> bytes:
    """Return the body of a request as it was sent."""
    return await request.body()


SentBody = Annotated[bytes, Depends(body_of)]
"""The parameter of a route that takes a body as it was sent."""


def read_json(body: bytes, schema: type[Body]) -> Body:
    """Return a body as its schema has it.

    Raises
    ------
    MalformedRequestError
        When it is no JSON (NaN and Infinity are not).
    InvalidRequestError
        When it does not fit the schema.
    """
    try:
        parts = _OBJECT.decode(body)
    except msgspec.ValidationError as error:
        raise no_object(error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise not_json(error) from None
    try:
        return schema.model_validate(parts)
    except ValidationError as error:
        raise refuse(field_errors(error, parts, schema)) from None
