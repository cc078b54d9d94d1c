"""What needs an object store or a database that is away is tried again for a while."""

import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.exc import OperationalError

from app.blobs.interface import StoreAwayError
from solvers.errors import Interrupted

__all__ = ["patiently"]

PATIENCE_S = 600.0
PAUSE_S = 1.0

T = TypeVar("T")


def patiently(do: Callable[[], T], progress: Callable[[float, str], bool]) -> T:
    """Return what ``do`` returns, once store and database answer.

    Raises
    ------
    StoreAwayError, OperationalError
        When they do not come back in time.
    Interrupted
        When the job is cancelled meanwhile.
    """
    until_s = time.monotonic() + PATIENCE_S
    while True:
        try:
            return do()
        except (StoreAwayError, OperationalError):
            if time.monotonic() > until_s:
                raise
        if not progress(0.0, "waiting for the store or the database to answer"):
            raise Interrupted
        time.sleep(PAUSE_S)
