"""What pydantic refused, in words that hold no refused value."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from app.choices import Asked, known_keys, shape_in_words
from app.errors.base import FieldError
from app.errors.faults import at

__all__ = ["LONGEST_KEY", "explained", "field_errors", "path_in"]

LONGEST_KEY = 80
"""How much of an unknown key is repeated in a pointer."""

_WORDS = {
    "missing": "is missing",
    "union_tag_not_found": 'a "kind" is needed',
    "model_type": "an object is needed",
    "model_attributes_type": "an object is needed",
    "dict_type": "an object is needed",
    # What pydantic says of these quotes what was sent.
    "datetime_parsing": "is no date and time in ISO 8601",
    "date_parsing": "is no date in ISO 8601",
    "uuid_parsing": "is no identifier",
}
_PLAINER = (
    ("Input should be ", "must be "),
    ("String should ", "must "),
    ("List should ", "must "),
    ("Dictionary should ", "must "),
    (" after validation", ""),
    ("must have at least 1 item, not 0", "must not be empty"),
    ("a valid ", "a "),
    ("a integer", "an integer"),
    ("greater than or equal to", "at least"),
    ("less than or equal to", "at most"),
    ("greater than", "above"),
    ("less than", "below"),
)
"""What pydantic says, and how we say it."""
_ELSEWHERE = {
    "cost": "costs are given once, under /costs",
    "approximation": "only kernel machines (svm, double-hinge-svm, multi-hinge-svm,"
    " p-svm) take an approximation",
    "reduction": "only the trainers double-hinge-svm and svm take a reduction",
}


def explained(
    fault: Mapping[str, Any], known: Callable[[Sequence[str | int]], Iterable[str]]
) -> str:
    """Return what is wrong at one place, and the way out.

    Parameters
    ----------
    fault : mapping
        One of the errors that pydantic lists.
    known : function
        Returns the keys of the object at a location.
    """
    kind, context, location = fault["type"], fault.get("ctx") or {}, fault["loc"]
    if kind == "extra_forbidden":
        others = ", ".join(known(location[:-1]))
        return _ELSEWHERE.get(
            str(location[-1]),
            f"is not known here; leave it out, or take one of: {others}",
        )
    if kind == "string_pattern_mismatch":
        return shape_in_words(context["pattern"])
    if kind == "union_tag_invalid":
        available = str(context["expected_tags"]).replace("'", "")
        return f"not available in this version; available: {available}"
    if kind == "value_error":
        return str(context.get("error", "is not acceptable"))
    return _WORDS.get(kind) or _plainly(str(fault["msg"]), context)


def _plainly(message: str, context: Mapping[str, Any]) -> str:
    """Return what pydantic said in our words, a bound at its end in few digits."""
    for theirs, ours in _PLAINER:
        message = message.replace(theirs, ours)
    bound = next(
        (context[end] for end in ("ge", "gt", "le", "lt") if end in context), 0
    )
    if isinstance(bound, int | float) and bound:
        told = f"{bound:g}" if isinstance(bound, float) else str(bound)
        return f"{message.rpartition(' ')[0]} {told}"
    return message


def field_errors(
    error: ValidationError, body: Mapping[str, Any], asked: Asked
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
    for fault in error.errors(include_url=False, include_input=False):
        # A value that fits no member of a union is reported once for each.
        path = path_in(fault, body)
        if fault["type"].startswith("union_tag"):
            path.append("kind")
        detail = explained(fault, lambda location: known_keys(asked, tuple(location)))
        details.setdefault(at(*path), []).append(detail)
    return [
        FieldError(pointer, ", or: ".join(dict.fromkeys(detail)))
        for pointer, detail in details.items()
    ]


def path_in(fault: Mapping[str, Any], body: Any) -> list[str | int]:
    """Return where one of pydantic's errors is, without the tags of unions.

    A part that the body does not have is a tag, but for the key that is missing.
    """
    path: list[str | int] = []
    here = body
    missing = len(fault["loc"]) - 1 if fault["type"] == "missing" else None
    for place, part in enumerate(fault["loc"]):
        if _has(here, part):
            here = here[part]
        elif place != missing or part == "kind":
            continue
        path.append(part if isinstance(part, int) else part[:LONGEST_KEY])
    return path


def _has(here: Any, part: str | int) -> bool:
    if isinstance(here, Mapping):
        return part in here
    return isinstance(here, list) and isinstance(part, int) and part < len(here)
