"""What a store of blobs does, and where one can be.

A blob appears under its name whole or not at all. What a name stands for never changes:
it carries the digest of its bytes, or an identifier that is used once. So nothing needs
a rename, a lock or a condition of the store: two that write one name write the same
bytes. The one name that is neither (the store's token) is written by whoever the
database let through.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec

__all__ = ["Blobs", "DamagedBlobError", "Found", "Place", "Remote", "StoreAwayError"]


class StoreAwayError(OSError):
    """An object store that does not answer, or refuses; it may do so later."""


class DamagedBlobError(Exception):
    """A blob whose bytes are not those that were written."""


class Remote(msgspec.Struct, frozen=True, tag="remote"):
    """A place in an object store.

    Parameters
    ----------
    url : str
        ``s3://BUCKET/PREFIX``, ``gs://...`` or ``abfs://...``; no secret is in it.
    local : str
        Folder of this machine for what is on its way, and for the cache.
    cache_bytes : int
        Size of the cache at most.
    """

    url: str
    local: str
    cache_bytes: int

    def __truediv__(self, name: str) -> "Remote":
        """Return the place of this name below, as of a path."""
        address, mark, options = self.url.partition("?")
        url = f"{address.rstrip('/')}/{name}{mark}{options}"
        return Remote(url, self.local, self.cache_bytes)

    @property
    def parent(self) -> "Remote":
        """The place above, as of a path."""
        address, mark, options = self.url.partition("?")
        above = address.rstrip("/").rpartition("/")[0]
        return Remote(f"{above}{mark}{options}", self.local, self.cache_bytes)

    @property
    def shown(self) -> str:
        """The address without its options."""
        return self.url.partition("?")[0]


Place = Path | Remote


@dataclass(frozen=True, slots=True)
class Found:
    """A blob that is there."""

    name: str
    size: int
    written_s: float
    """When, in seconds since 1970, by the store's clock."""


class Blobs(Protocol):
    """The blobs of one place, by name.

    All of them raise OSError: where a disk is full or read-only, and StoreAwayError
    where an object store does not answer.
    """

    def put(self, name: str, content: bytes | memoryview) -> None:
        """Write a blob for good; its age begins anew where it was there already."""

    def take(self, name: str, finished: Path) -> None:
        """Move a finished local file to its place, for good."""

    def claim(self, name: str, content: bytes) -> bool:
        """Write a blob where there is none; tell whether it was written."""

    def read(self, name: str, sha256: str | None = None) -> bytes:
        """Return a blob, checked where its digest is given.

        Raises
        ------
        FileNotFoundError
            When there is none.
        DamagedBlobError
            When it is not what was written.
        """

    def held(
        self, name: str, sha256: str | None, *, again: bool = False
    ) -> AbstractContextManager[Path]:
        """Give a local file of a blob for a while, checked; raises as `read`.

        One that is held ``again`` was checked before: a folder's is not read anew.
        """

    def opened(self, name: str) -> AbstractContextManager[Any]:
        """Give a blob to read here and there, where it lies, unchecked.

        It is a file of pyarrow. Raises as `read`.
        """

    def find(self, name: str) -> Found | None:
        """Return what is known of a blob; None where there is none."""

    def list(self, prefix: str = "") -> Iterator[Found]:
        """Yield every blob whose name begins so, in no order."""

    def delete(self, name: str) -> None:
        """Remove a blob, if it is there."""

    def sweep_staged(self, abandoned: Callable[[str], bool]) -> int:
        """Remove what writers have left half-written of whom ``abandoned`` is true."""
