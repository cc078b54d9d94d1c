"""Delete from this machine's cache what was deleted from the object store.

A cache may hold a data set, or a model that consists of rows. To delete either means to
delete it from the caches of all machines too.
"""

import logging
import re
import threading
from pathlib import Path

from app.blobs.cache import Cache
from app.blobs.interface import Place, Remote, StoreAwayError
from app.blobs.objects import CACHE, ObjectBlobs

__all__ = ["TIDY_EVERY_S", "Tidying", "tidy"]

log = logging.getLogger(__name__)

TIDY_EVERY_S = 600.0
_DIGEST = re.compile(r"[0-9a-f]{64}")
_FOLDERS = ("artifacts", "datasets")


def tidy(place: Remote) -> int:
    """Remove from this machine's cache what the store has no more; return how much.

    Raises
    ------
    StoreAwayError
        When the store does not answer; the cache is as it was.
    """
    names = (one.name for f in _FOLDERS for one in ObjectBlobs(place / f).list())
    known = {digest for name in names for digest in _DIGEST.findall(name)}
    return Cache(Path(place.local) / CACHE, place.cache_bytes).forget(known)


class Tidying:
    """Tidies from time to time, in a thread; a folder has no cache and needs none.

    Parameters
    ----------
    place : Path or Remote
    """

    def __init__(self, place: Place) -> None:
        self._ended = threading.Event()
        if isinstance(place, Remote):
            threading.Thread(target=self._run, args=(place,), daemon=True).start()

    def _run(self, place: Remote) -> None:
        while not self._ended.wait(TIDY_EVERY_S):
            try:
                tidy(place)
            except StoreAwayError as error:
                log.warning("the cache is not tidied: %s", error)

    def close(self) -> None:
        """End."""
        self._ended.set()
