"""From what pydantic found to what the client is told, without the refused values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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


def refusal(found: Sequence[Any]) -> ApiError:
    """Return the problem that names every fault (the first twenty) by its place."""
    if any(error["type"] == "json_invalid" for error in found):
        return MalformedRequestError("the body is no JSON")
    errors = [_field_error(error) for error in found[:MOST_ERRORS]]
    first = errors[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return InvalidRequestError(
        f"{first.pointer or 'the body'}: {first.detail}{more}", errors
    )


def _field_error(error: Mapping[str, Any]) -> FieldError:
    where, *rest = error["loc"] or ("body",)
    place = rest if where == "body" else [where, *rest]
    return FieldError(pointer(place), _detail(error))


def _detail(error: Mapping[str, Any]) -> str:
    kind, context = str(error["type"]), error.get("ctx") or {}
    if kind == "extra_forbidden":
        return "is not known here; leave it out"
    if kind == "missing":
        return "is missing"
    if kind == "value_error":
        return str(context.get("error", "is not acceptable"))
    if kind in QUOTING:
        return QUOTING[kind]
    return str(error["msg"])
