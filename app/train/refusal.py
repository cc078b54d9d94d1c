"""From what is wrong in a body to the errors of a problem, without its values.

A refused body may hold patient data: a message names the place and the way out,
never what was found there. Pointers are JSON Pointers into the body as it was sent.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from app.errors import FieldError, InvalidRequestError

__all__ = ["at", "field_errors", "refuse"]

_ELSEWHERE = {
    "cost": "costs are given once, under /costs",
    "reduction": "only the trainers double-hinge-svm and svm take a reduction",
}
_SHOWN_KEY = 80
_MOST_ERRORS = 20


def at(*path: str | int) -> str:
    """Return the JSON Pointer (RFC 6901) of a path into the body."""
    return "".join(
        "/" + str(part).replace("~", "~0").replace("/", "~1") for part in path
    )


def refuse(errors: Iterable[FieldError]) -> InvalidRequestError:
    """Return the problem of these errors; its detail is that of the first."""
    found = list(errors)[:_MOST_ERRORS]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return InvalidRequestError(f"{_place(found[0])}{found[0].detail}{more}", found)


def _place(error: FieldError) -> str:
    if error.row is None:
        return f"{error.pointer}: " if error.pointer else ""
    column = "" if error.column is None else f", column {error.column!r}"
    return f"row {error.row}{column}: "


def field_errors(error: ValidationError, body: Mapping[str, Any]) -> list[FieldError]:
    """Translate what pydantic refused.

    Parameters
    ----------
    error : ValidationError
    body : mapping
        The value that was validated, to tell keys of the body from the tags of
        unions in the reported locations. No value of it is quoted.
    """
    details: dict[str, list[str]] = {}
    for found in error.errors(include_url=False, include_input=False):
        # A value that fits no member of a union is reported once for each.
        path = _path(found["loc"], body)
        if found["type"].startswith("union_tag"):
            path.append("kind")
        details.setdefault(at(*path), []).append(_detail(found))
    return [
        FieldError(pointer, ", or: ".join(dict.fromkeys(said)))
        for pointer, said in details.items()
    ]


def _path(location: Iterable[str | int], body: Any) -> list[str | int]:
    path: list[str | int] = []
    here = body
    for part in location:
        if _has(here, part):
            here = here[part]
        elif isinstance(here, Mapping) and here.get("kind") == part:
            continue  # the tag of a union, not a key
        elif isinstance(here, Mapping) and part != "kind":
            path.append(part if isinstance(part, int) else part[:_SHOWN_KEY])
            break
        else:
            break  # a member of a union of plain types
        path.append(part if isinstance(part, int) else part[:_SHOWN_KEY])
    return path


def _has(here: Any, part: str | int) -> bool:
    if isinstance(here, Mapping):
        return part in here
    return isinstance(here, list) and isinstance(part, int) and part < len(here)


def _detail(found: Mapping[str, Any]) -> str:
    kind, context = found["type"], found.get("ctx", {})
    key = found["loc"][-1] if found["loc"] else ""
    if kind == "extra_forbidden":
        return _ELSEWHERE.get(str(key), "there is no such key; leave it out")
    if kind == "union_tag_invalid":
        available = str(context["expected_tags"]).replace("'", "")
        return f"not available in this version; available: {available}"
    if kind == "union_tag_not_found":
        return 'a "kind" is needed'
    if kind == "model_type":
        return "an object is needed"
    if kind == "value_error":
        return str(context["error"])
    return str(found["msg"])
