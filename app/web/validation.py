"""From what pydantic found to what the client is told, without the refused values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel

from app.choices import known_keys
from app.errors import ApiError, FieldError, InvalidRequestError, MalformedRequestError
from app.errors.faults import MOST_FAULTS, at
from app.errors.validation import LONGEST_KEY, explained

__all__ = ["pointer", "refusal"]


def pointer(location: Iterable[str | int]) -> str:
    """Return the JSON pointer of a location, its tokens not too long."""
    return at(*(str(token)[:LONGEST_KEY] for token in location))


def refusal(found: Sequence[Any], route: object) -> ApiError:
    """Return the problem that names every fault (the first twenty) by its place.

    Parameters
    ----------
    found : sequence of mapping
        What pydantic says of each.
    route : APIRoute
        What was asked: its keys are told where one is unknown.
    """
    if any(error["type"] == "json_invalid" for error in found):
        return MalformedRequestError("the body is no JSON")
    errors = [_field_error(error, route) for error in found[:MOST_FAULTS]]
    first = errors[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return InvalidRequestError(
        f"{first.pointer or 'the body'}: {first.detail}{more}", errors
    )


def _field_error(error: Mapping[str, Any], route: object) -> FieldError:
    where, *rest = error["loc"] or ("body",)
    place = rest if where == "body" else [where, *rest]
    return FieldError(
        pointer(place), explained(error, lambda location: _known(location, route))
    )


def _known(location: Sequence[str | int], route: object) -> list[str]:
    """Return the names that a query, or an object of a body, may have."""
    if not isinstance(route, APIRoute):
        return []
    where, *path = location
    fields = route.dependant.query_params if where == "query" else [route.body_field]
    for field in fields:
        asked = getattr(field and field.field_info, "annotation", None)
        if isinstance(asked, type) and issubclass(asked, BaseModel):
            return known_keys(asked, tuple(path))
    return []
