"""Which places outside of the store a job may read and write: those of the settings.

A URL of a request is followed only below one of ``DEMUR_SCORE_PLACES``: whoever may ask
for jobs could otherwise read what the service's own credentials open.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from app.blobs.interface import Blobs, Place, Remote
from app.blobs.opening import open_blobs
from app.errors import InvalidRequestError
from app.score.schemas import Source
from app.settings import Settings

__all__ = ["FORMS", "RefusedPlaceError", "folder_of", "place_at", "source_of", "usable"]

FORMS = (".parquet", ".csv")


class RefusedPlaceError(ValueError):
    """A place that no setting allows."""


def place_at(settings: Settings, url: str) -> Place:
    """Return the place that a request names.

    The options of a store (endpoint, region) are those of the setting that allows it.

    Raises
    ------
    RefusedPlaceError
        When none does.
    """
    scheme, mark, rest = url.partition("://")
    parts = PurePosixPath(f"/{rest}" if mark else url)
    if not parts.is_absolute() or ".." in parts.parts or "?" in url or "#" in url:
        msg = "name a folder or file by its whole path or URL, without .. ? and #"
        raise RefusedPlaceError(msg)
    if not url.isprintable() or any(len(p.encode()) > 255 for p in parts.parts):
        msg = "names have printable characters only, and 255 bytes at most"
        raise RefusedPlaceError(msg)
    for allowed in settings.score_places:
        address, _, options = allowed.partition("?")
        below, there, held = address.partition("://")
        root = PurePosixPath(f"/{held}" if there else address)
        if (
            there != mark
            or (mark and below != scheme)
            or not parts.is_relative_to(root)
        ):
            continue
        if not mark:
            folder = Path(url).resolve()
            if folder.is_relative_to(
                Path(address).resolve()
            ):  # links lead nowhere else
                return folder
            continue
        named = f"{scheme}:/{parts}"
        return Remote(
            f"{named}?{options}" if options else named,
            str(settings.data_dir.resolve()),
            settings.store_cache_bytes,
        )
    msg = "it is below none of the places that jobs may use (DEMUR_SCORE_PLACES)"
    raise RefusedPlaceError(msg)


def source_of(settings: Settings, source: Source) -> tuple[Blobs, str | None]:
    """Return where the files of a job are, and which one where one was named.

    Raises
    ------
    RefusedPlaceError
        When no setting allows it any more.
    """
    if source.dataset is not None:
        return open_blobs(settings.datasets_dir), None
    folder, named = folder_of(place_at(settings, source.url or ""))
    return open_blobs(folder), named


@contextmanager
def usable(what: str) -> Iterator[None]:
    """Tell what is wrong with a place that is there, but no folder to work in."""
    try:
        yield
    except OSError as error:
        if error.errno not in _UNFIT:
            raise
        msg = f"{what} cannot be used: {os.strerror(error.errno)}"
        raise InvalidRequestError(msg) from None


_UNFIT = {
    errno.EACCES,
    errno.EEXIST,
    errno.EISDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ENOTDIR,
    errno.EPERM,
}


def folder_of(place: Place) -> tuple[Place, str | None]:
    """Return the folder, and the name of the file where one was named."""
    name = Path(place.shown if isinstance(place, Remote) else place).name
    return (place.parent, name) if name.lower().endswith(FORMS) else (place, None)
