"""From what pydantic found to what the client is told, without the refused values."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter

from app.choices import known_keys
from app.errors import ApiError, FieldError, InvalidRequestError, MalformedRequestError
from app.errors.faults import MOST_FAULTS, at
from app.errors.validation import LONGEST_KEY, explained, path_in

__all__ = ["pointer", "refusal"]


def pointer(location: Iterable[str | int]) -> str:
    """Return the JSON pointer of a location, its tokens not too long."""
    return at(*(str(token)[:LONGEST_KEY] for token in location))


def refusal(faults: Sequence[Any], route: object, body: Any = None) -> ApiError:
    """Return the problem that names every fault (the first twenty) by its place.

    Parameters
    ----------
    faults : sequence of mapping
        What pydantic says of each.
    route : APIRoute
        What was asked: its keys are told where one is unknown.
    body : object, optional
        What was sent, to tell its keys from the tags of unions.
    """
    if any(error["type"] == "json_invalid" for error in faults):
        return MalformedRequestError("the body is no JSON")
    said: dict[str, list[str]] = {}
    for error in faults:
        # A value that fits no member of a union is reported once for each.
        detail = explained(error, lambda location: _known(location, route))
        said.setdefault(_place(error, body), []).append(detail)
    errors = [
        FieldError(place, ", or: ".join(dict.fromkeys(details)))
        for place, details in said.items()
    ]
    first = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidRequestError(
        f"{first.pointer or 'the body'}: {first.detail}{more}", errors[:MOST_FAULTS]
    )


def _place(error: Mapping[str, Any], body: Any) -> str:
    where, *rest = location = error["loc"] or ("body",)
    if where != "body":
        return pointer(location)
    if not isinstance(body, Mapping):
        return pointer(rest)
    return pointer(path_in({**error, "loc": rest}, body))


@cache
def _adapter(asked: Any) -> TypeAdapter[Any]:
    """Return what reads a body that is one of several, or none."""
    return TypeAdapter(asked)


def _known(location: Sequence[str | int], route: object) -> list[str]:
    """Return the names that a query, or an object of a body, may have."""
    if not isinstance(route, APIRoute):
        return []
    where, *path = location
    fields = route.dependant.query_params if where == "query" else [route.body_field]
    for field in fields:
        asked: Any = getattr(field and field.field_info, "annotation", None)
        if isinstance(asked, type) and issubclass(asked, BaseModel):
            return known_keys(asked, tuple(path))
        if asked is not None:
            return known_keys(_adapter(asked), tuple(path))
    return []
