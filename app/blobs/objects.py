"""Blobs as the objects of a bucket: S3, Google Cloud Storage or Azure, by pyarrow.

An object is there when the request that writes it has ended, whole: no rename, no
flush, no lock is asked of the store. pyarrow offers no conditional write, so names say
what their bytes are (`app.blobs.interface`); and it completes an object whose writer
failed half-way, so that each one is looked at once it is written.
"""

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from app.blobs.cache import Cache
from app.blobs.interface import Found, Remote, StoreAwayError
from app.blobs.systems import file_system

__all__ = ["CACHE", "ObjectBlobs"]

CACHE = "cache"
"""The folder of the cache, below that of the machine."""

_CHUNK_BYTES = 8 << 20
_CODE = re.compile(r"AWS Error ([A-Z_]+)|HTTP status (\d{3})|\b(4\d\d|5\d\d)\b")


class ObjectBlobs:
    """The objects below one prefix.

    Parameters
    ----------
    remote : Remote
    """

    def __init__(self, remote: Remote) -> None:
        self._remote = remote
        self._cache = Cache(Path(remote.local) / CACHE, remote.cache_bytes)

    def put(self, name: str, content: bytes | memoryview) -> None:
        """Write an object."""
        self._write(name, [content], len(content))

    def take(self, name: str, finished: Path) -> None:
        """Write an object of a file's bytes, and remove the file."""
        with finished.open("rb") as source:
            parts = iter(lambda: source.read(_CHUNK_BYTES), b"")
            self._write(name, parts, finished.stat().st_size)
        finished.unlink(missing_ok=True)

    def claim(self, name: str, content: bytes) -> bool:
        """Write an object where there is none: one at a time, by who asks for it."""
        if self.find(name) is not None:
            return False
        self.put(name, content)
        return True

    def read(self, name: str, sha256: str | None = None) -> bytes:
        """Return an object, by way of the cache where its digest is given."""
        if sha256 is not None:
            with self.held(name, sha256) as path:
                return path.read_bytes()
        parts: list[bytes] = []
        self._fetch(name, parts.append)
        return b"".join(parts)

    @contextmanager
    def held(
        self, name: str, sha256: str | None, *, again: bool = False
    ) -> Iterator[Path]:
        """Give the file of the cache; without a digest, one that goes afterwards."""
        del again  # the cache may have been emptied meanwhile
        if sha256 is not None:
            with self._cache.held(sha256, lambda to: self._fetch(name, to)) as path:
                yield path
            return
        self._cache.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self._cache.folder) as file:
            self._fetch(name, file.write)
            file.flush()
            yield Path(file.name)

    @contextmanager
    def opened(self, name: str) -> Iterator[Any]:
        """Give an object that is asked for in parts."""
        with (
            self._opened() as (system, base),
            system.open_input_file(f"{base}/{name}") as file,
        ):
            yield file

    def find(self, name: str) -> Found | None:
        """Ask for an object's head."""
        with self._opened() as (system, base):
            info = system.get_file_info(f"{base}/{name}")
            return _found(info) if info.is_file else None

    def list(self, prefix: str = "") -> Iterator[Found]:
        """Ask for every object's head."""
        with self._opened() as (system, base):
            from pyarrow.fs import FileSelector  # noqa: PLC0415 - see `file_system`

            infos = system.get_file_info(FileSelector(base, allow_not_found=True))
        for info in infos:
            if info.is_file and info.base_name.startswith(prefix):
                yield _found(info)

    def delete(self, name: str) -> None:
        """Remove an object."""
        with self._opened() as (system, base), suppress(FileNotFoundError):
            system.delete_file(f"{base}/{name}")

    def sweep_staged(self, abandoned: Callable[[str], bool]) -> int:
        """Remove nothing: what is half-written is no object."""
        del abandoned
        return 0

    def _write(self, name: str, parts: Any, size: int) -> None:
        with self._opened() as (system, base):
            path = f"{base}/{name}"
            try:
                with system.open_output_stream(path) as out:
                    for part in parts:
                        out.write(part)
                whole = system.get_file_info(path).size == size
            except BaseException:
                with suppress(OSError):
                    _remove_unless(system, path, size)
                raise
            if not whole:
                _remove_unless(system, path, size)
                msg = "an object was not written whole"
                raise StoreAwayError(msg)

    def _fetch(self, name: str, write: Callable[[bytes], object]) -> None:
        """Pass an object on in parts; an answer cut short is no end of it."""
        with self._opened() as (system, base):
            with system.open_input_file(f"{base}/{name}") as source:
                left = source.size()
                while left and (part := source.read(_CHUNK_BYTES)):
                    write(part)
                    left -= len(part)
            if left:
                msg = "an object was not read whole"
                raise StoreAwayError(msg)

    @contextmanager
    def _opened(self) -> Iterator[tuple[Any, str]]:
        """Give the file system and the prefix; tell failures without their text."""
        try:
            yield file_system(self._remote.url)
        except OSError as error:
            if error.errno is not None or isinstance(error, StoreAwayError):
                raise  # there is no such object; or it is this machine's disk
            raise StoreAwayError(_reason(error)) from None


def _remove_unless(system: Any, path: str, size: int) -> None:
    """Remove what was written in part; a whole one may be another's."""
    info = system.get_file_info(path)
    if info.is_file and info.size != size:
        system.delete_file(path)


def _found(info: Any) -> Found:
    return Found(info.base_name, info.size, info.mtime.timestamp())


def _reason(error: OSError) -> str:
    """Return a failure's code: its text may quote a key."""
    code = _CODE.search(str(error))
    named = next((part for part in code.groups() if part), "") if code else ""
    return f"the store does not answer as it should ({named or 'no answer'})"
