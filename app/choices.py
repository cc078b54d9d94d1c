"""The keys and the forms of text that a request may have, for errors to list.

An error that lists them saves its reader the way to the documentation. They are the
service's own words, never values that were sent.
"""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Protocol

from pydantic import TypeAdapter

__all__ = [
    "ID",
    "NAME",
    "SHA256",
    "TAG",
    "TEXT",
    "Asked",
    "Described",
    "known_keys",
    "shape",
    "shape_in_words",
]

Schema = Mapping[str, Any]


class Described(Protocol):
    """A model of pydantic, as far as its keys are concerned."""

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        """Return its JSON schema."""


Asked = type[Described] | TypeAdapter[Any]
"""What a value is validated as."""

_SHAPES: dict[str, str] = {}


def shape(pattern: str, words: str) -> str:
    """Return a pattern for texts, and remember what to call it to who misses it.

    Parameters
    ----------
    pattern : str
        A regular expression, as ``Field(pattern=...)`` takes it.
    words : str
        End the sentence that begins with "takes".
    """
    _SHAPES[pattern] = words
    return pattern


_NAME = "letters, digits, dots, underscores and hyphens, of which the first is a letter"
NAME = shape(
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", f"{_NAME} or a digit, at most 64 together"
)
ID = shape("^[0-9a-f-]{36}$", "an id of 36 characters, as the service gave it")
SHA256 = shape("^[0-9a-f]{64}$", "a SHA-256 digest: 64 digits from 0 to 9 and a to f")
TEXT = shape(r"^[^\x00]*$", "text without NUL characters")
TAG = shape(
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}=[^\x00]{0,500}$",
    f"NAME=VALUE, the name of {_NAME} or a digit",
)


def shape_in_words(pattern: str) -> str:
    """Return what a text is that a pattern has refused."""
    return f"takes {_SHAPES.get(pattern, 'another form of text')}"


@lru_cache(256)  # a body may have a million of them
def known_keys(asked: Asked, location: tuple[str | int, ...]) -> list[str]:
    """Return the keys that an object of a request may have.

    Parameters
    ----------
    asked : Asked
        Of the whole request.
    location : tuple of str and int
        Where the object is, as pydantic tells it: the tags of unions included.
    """
    whole = _described(asked)
    nodes = [whole]
    for part in location:
        nodes = [inner for node in nodes for inner in _below(whole, node, part)]
    objects = (
        node.get("properties", {}) for one in nodes for node in _flat(whole, one)
    )
    return list(dict.fromkeys(name for properties in objects for name in properties))


@cache
def _described(asked: Asked) -> Schema:
    if isinstance(asked, TypeAdapter):
        return asked.json_schema()
    return asked.model_json_schema()


def _below(whole: Schema, node: Schema, part: str | int) -> Iterator[Schema]:
    """Yield what a part of a location leads to."""
    members = list(_flat(whole, node))
    below = [inner for one in members for inner in _named(one, part)]
    # What leads nowhere is the tag of a union, by which pydantic calls its members.
    yield from below or (members if len(members) > 1 else [])


def _named(one: Schema, part: str | int) -> Iterator[Schema]:
    properties = one.get("properties", {})
    if part in properties:
        yield properties[part]
    elif properties.get("kind", {}).get("const") == part:
        yield one  # the tag of a union
    elif isinstance(part, int) and "items" in one:
        yield one["items"]


def _flat(whole: Schema, node: Schema) -> Iterator[Schema]:
    """Yield a node, or the members of the union that it is."""
    if "$ref" in node:
        yield from _flat(whole, whole["$defs"][node["$ref"].rpartition("/")[2]])
        return
    members = node.get("oneOf") or node.get("anyOf")
    if members is None:
        yield node
        return
    for member in members:
        yield from _flat(whole, member)
