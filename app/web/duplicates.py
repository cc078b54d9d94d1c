"""Keys that stand twice in an object of a JSON body: refused, named by their place.

Readers differ in what they make of such an object (RFC 8259, 4); most silently take the
last value. Objects are decoded from the outermost to the innermost: each occurrence of
a key is a key of its own, and values stay raw until their turn comes.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec import Raw

from app.errors import FieldError, InvalidRequestError
from app.features.values import trimmed
from app.web.validation import pointer

__all__ = ["MOST_KEYS", "check_keys", "require_distinct_keys"]

LARGE_BYTES = 1 << 16
MOST_KEYS = 20_000
"""Of one object: to read more would take seconds."""


class _Key(str):
    """A key that equals no other, not even one of the same letters."""

    __slots__ = ()
    __hash__ = object.__hash__
    __eq__ = object.__eq__


class _Place(NamedTuple):
    """Where a value stands: its name or index, and where what holds it stands."""

    outer: "_Place | None"
    name: str | int


_OBJECT = msgspec.json.Decoder(dict[_Key, Raw], dec_hook=lambda kind, name: kind(name))
_LIST = msgspec.json.Decoder(list[Raw])


async def check_keys(body: bytes) -> None:
    """Do as `require_distinct_keys`, a large body in a thread."""
    if len(body) > LARGE_BYTES:
        await asyncio.to_thread(require_distinct_keys, body)
    else:
        require_distinct_keys(body)


def require_distinct_keys(body: bytes) -> None:
    """Refuse a body in which a key stands twice; what is no JSON, its reader refuses.

    Raises
    ------
    InvalidRequestError
        With the place of the first key that does, or of an object of very many keys.
    """
    waiting: list[tuple[_Place | None, bytes]] = [(None, body)]
    while waiting:
        place, raw = waiting.pop()
        inner: Sequence[tuple[str | int, Raw]]
        begins = raw.lstrip()[:1]
        try:
            if begins == b"{":
                keys = _OBJECT.decode(raw)
                _check([str(key) for key in keys], place)
                inner = [(str(key), value) for key, value in keys.items()]
            elif begins == b"[":
                inner = list(enumerate(_LIST.decode(raw)))
            else:
                continue
        except (ValueError, RecursionError):
            return
        for name, value in inner:
            held = bytes(value)
            if b"{" in held:
                waiting.append((_Place(place, name), held))


def _check(names: list[str], place: _Place | None) -> None:
    if len(names) > MOST_KEYS:
        detail = f"an object has {MOST_KEYS} keys at most"
        raise _refusal(detail, place)
    compared = Counter(map(trimmed, names))  # as columns are, by their names
    if len(compared) < len(names):
        ((name, _),) = compared.most_common(1)
        detail = f"the key {name[:80]!r} is given twice; which one counts?"
        raise _refusal(detail, _Place(place, name))


def _refusal(detail: str, place: _Place | None) -> InvalidRequestError:
    names: list[str | int] = []
    while place is not None:
        names.append(place.name)
        place = place.outer
    where = pointer(reversed(names))
    return InvalidRequestError(
        f"{where or 'the body'}: {detail}", [FieldError(where, detail)]
    )
