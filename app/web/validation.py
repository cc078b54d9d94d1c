"""From what pydantic found to what the client is told, without the refused values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel

from app.choices import known_keys, shape_in_words
from app.errors import ApiError, FieldError, InvalidRequestError, MalformedRequestError

__all__ = ["pointer", "refusal"]

MOST_ERRORS = 20
LONGEST_TOKEN = 80
# messages of these kinds quote what was sent
QUOTING = {
    "union_tag_invalid": "names no kind that is known here",
    "datetime_parsing": "is no date and time in ISO 8601",
    "date_parsing": "is no date in ISO 8601",
    "uuid_parsing": "is no identifier",
}


def pointer(location: Iterable[str | int]) -> str:
    """Return the JSON pointer of a location, its tokens escaped and not too long."""
    tokens = (str(token)[:LONGEST_TOKEN] for token in location)
    return "".join(
        "/" + token.replace("~", "~0").replace("/", "~1") for token in tokens
    )


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
    errors = [_field_error(error, route) for error in found[:MOST_ERRORS]]
    first = errors[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return InvalidRequestError(
        f"{first.pointer or 'the body'}: {first.detail}{more}", errors
    )


def _field_error(error: Mapping[str, Any], route: object) -> FieldError:
    where, *rest = error["loc"] or ("body",)
    place = rest if where == "body" else [where, *rest]
    return FieldError(pointer(place), _detail(error, route))


def _detail(error: Mapping[str, Any], route: object) -> str:
    kind, context = str(error["type"]), error.get("ctx") or {}
    if kind == "extra_forbidden":
        known = ", ".join(_known(error["loc"], route))
        return f"is not known here; leave it out, or take one of: {known}"
    if kind == "string_pattern_mismatch":
        return shape_in_words(context["pattern"])
    if kind == "missing":
        return "is missing"
    if kind == "value_error":
        return str(context.get("error", "is not acceptable"))
    if kind in QUOTING:
        return QUOTING[kind]
    return str(error["msg"])


def _known(location: Sequence[str | int], route: object) -> list[str]:
    """Return the names that a query, or an object of a body, may have."""
    if not isinstance(route, APIRoute):
        return []
    where, *path = location[:-1]
    fields = route.dependant.query_params if where == "query" else [route.body_field]
    for field in fields:
        asked = getattr(field and field.field_info, "annotation", None)
        if isinstance(asked, type) and issubclass(asked, BaseModel):
            return known_keys(asked, tuple(path))
    return []
