"""A protocol: its addresses, what each of them does with a call, and its own errors.

A skin turns bytes into a question for the prediction endpoint and its answer into
bytes. It decides nothing: keys, limits, the log, counts and reviews are those of POST
/predict, since the rows go the same way. Clients that are written in Python write a
missing number as NaN, which is no JSON: here it is null.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from app.errors import ApiError
from app.predict.endpoint import PredictEndpoint
from app.predict.in_arrays import at_once
from app.state import AppState

__all__ = ["Address", "Call", "Reply", "Skin", "as_json", "nan_as_null"]

_ENCODER = msgspec.json.Encoder()
_NAN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|\bNaN\b', re.DOTALL)
"""A text, which stays as it is, or the word NaN."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a skin."""

    state: AppState
    predict: PredictEndpoint
    request_id: str
    headers: Mapping[bytes, bytes]
    body: bytes
    parts: Mapping[str, str | None]
    """What stands in the address where it has a part to fill in."""

    @property
    def model(self) -> str:
        """The model that the address names, with its version where it names one."""
        name, version = self.parts["model"] or "", self.parts.get("version")
        return name if version is None else f"{name}:{version}"


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back."""

    body: bytes
    content_type: bytes = b"application/json"
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = ()


Act = Callable[[Call], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Address:
    """An address, by its pattern, and what it does by method."""

    pattern: re.Pattern[str]
    route: str
    """As metrics and the log call it."""
    acts: Mapping[str, Act] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skin:
    """A protocol: its addresses, and how it tells an error."""

    addresses: tuple[Address, ...]
    error: Callable[[ApiError], bytes]


def as_json(value: object, status: int = 200) -> Reply:
    """Return a value as the reply."""
    return Reply(_ENCODER.encode(value), status=status)


async def nan_as_null(sent: bytes, *, small: bool) -> bytes:
    """Return JSON in which each NaN that stands outside a text is null."""
    if b"NaN" not in sent:
        return sent
    return await at_once(_NAN.sub, _as_null, sent, small=small)


def _as_null(match: re.Match[bytes]) -> bytes:
    return b"null" if match[0] == b"NaN" else match[0]
