"""A key's text and its digest.

A key is 256 random bits, so its plain SHA-256 is kept: a slow, salted hash protects
what people choose and others could guess. Here there is nothing to guess, and every
request has to be checked in microseconds. A digest of the database opens nothing.

The comparison is of two digests, by ``hmac.compare_digest``, and looks at every known
one: its time tells neither how much of a key is right nor which key it was.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from app.keys.scopes import Scope

__all__ = ["KnownKey", "digest", "match", "new_key"]

PREFIX = "demur_"
"""Lets a scanner of source code know what it has found."""

RANDOM_BYTES = 32


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A key that opens something: its digest (32 bytes), its scopes, and whose it is.

    ``person`` is the id of a person, or None.
    """

    digest: bytes
    scopes: tuple[Scope, ...]
    person: str | None = None


def new_key() -> str:
    """Return a fresh key."""
    return PREFIX + secrets.token_urlsafe(RANDOM_BYTES)


def digest(key: bytes) -> bytes:
    """Return the digest of a key, 32 bytes."""
    return hashlib.sha256(key).digest()


def match(sent: bytes, known: Iterable[KnownKey]) -> KnownKey | None:
    """Return the key that was sent; None when it is not known."""
    own = digest(sent)
    known_key: KnownKey | None = None
    for key in known:
        if hmac.compare_digest(own, key.digest):
            known_key = key
    return known_key
