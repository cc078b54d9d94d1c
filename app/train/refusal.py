"""From what is wrong in a body to the errors of a problem, without its values.

A refused body may hold patient data: a message names the place and the way out,
never what was found there. Pointers are JSON Pointers into the body as it was sent.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from app.choices import Asked, known_keys, shape_in_words
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


def field_errors(
    error: ValidationError,
    body: Mapping[str, Any],
    asked: Asked,
) -> list[FieldError]:
    """Translate what pydantic refused.

    Parameters
    ----------
    error : ValidationError
    body : mapping
        The value that was validated, to tell keys of the body from the tags of
        unions in the reported locations. No value of it is quoted.
    asked : Asked
        What the value was validated as: its keys are listed where one is unknown.
    """
    details: dict[str, list[str]] = {}
    for found in error.errors(include_url=False, include_input=False):
        # A value that fits no member of a union is reported once for each.
        path = _path(found["loc"], body)
        if found["type"].startswith("union_tag"):
            path.append("kind")
        details.setdefault(at(*path), []).append(_detail(found, asked))
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
        elif str(part).startswith("#"):
            continue  # the tag of a price
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


def _detail(found: Mapping[str, Any], asked: Asked) -> str:
    kind, context = found["type"], found.get("ctx", {})
    key = found["loc"][-1] if found["loc"] else ""
    if kind == "extra_forbidden":
        if key in _ELSEWHERE:
            return _ELSEWHERE[str(key)]
        known = ", ".join(known_keys(asked, found["loc"][:-1]))
        return f"there is no such key; leave it out, or take one of: {known}"
    if kind == "string_pattern_mismatch":
        return shape_in_words(context["pattern"])
    if kind == "union_tag_invalid":
        available = str(context["expected_tags"]).replace("'", "")
        return f"not available in this version; available: {available}"
    if kind == "union_tag_not_found":
        return 'a "kind" is needed'
    if kind == "model_type":
        return "an object is needed"
    if kind == "value_error":
        return str(context["error"])
    return _bounded(str(found["msg"]), context)


def _bounded(said: str, context: Mapping[str, Any]) -> str:
    """Return what was said, a bound at its end in few digits."""
    bound = next(
        (context[end] for end in ("ge", "gt", "le", "lt") if end in context), 0
    )
    if isinstance(bound, int | float) and bound:
        return f"{said.rpartition(' ')[0]} {bound:g}"
    return said
