"""The worker's process: signals, the wait for a database, then the loop."""

import logging
import os
import signal
import sys
import threading

from sqlalchemy.exc import OperationalError

from app.artifacts import identity
from app.artifacts.store import ArtifactStore
from app.blobs.interface import Remote
from app.blobs.opening import fault
from app.db import migrate
from app.db.session import Database, open_database
from app.settings import Settings
from app.timer import Timer
from app.worker.loop import PIPELINE, Worker

__all__ = ["run"]

log = logging.getLogger(__name__)

AWAY_S = 1.0
LOCK_S = 0.2
"""What another holds for longer is left for the next round: nothing else waits."""
TELL_EVERY_S = 10.0


def run(settings: Settings, *, supervised: bool, run_path: str = PIPELINE) -> int:
    """Work until a signal says stop; return the exit status.

    Parameters
    ----------
    settings : Settings
    supervised : bool
        Also stop when standard input ends: whoever started us is gone.
    run_path : str
        ``module:function`` of the training pipeline.
    """
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    if supervised:
        threading.Thread(target=_await_end, args=(stopping,), daemon=True).start()
    database = open_database(
        settings.database, patience_s=settings.database_seconds, lock_s=LOCK_S
    )
    try:
        if _ready(settings, database, stopping):
            Worker(settings, database, stopping, run_path).run()
    finally:
        database.close()
    return 0


def _await_end(stopping: threading.Event) -> None:
    """Wait for the end of standard input, below Python's own buffers."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    stopping.set()


def _ready(settings: Settings, database: Database, stopping: threading.Event) -> bool:
    """Migrate the embedded database; wait until somebody has migrated another."""
    if settings.embedded:
        migrate.upgrade(database)
    telling, store = Timer(TELL_EVERY_S), ArtifactStore(settings.artifacts_dir)
    while not stopping.is_set():
        try:
            problem = migrate.fault(database)
            remote = isinstance(settings.place, Remote)
            if problem is None and isinstance(settings.place, Remote):
                problem = fault(settings.place)
            if problem is None and (remote or not settings.embedded):
                problem = identity.settle(database, store)
            if problem is None:
                return True
        except OperationalError:
            problem = "the database cannot be reached"
        except OSError:
            problem = "the store of models cannot be written"
        if telling.due():
            log.warning("waiting: %s", problem)
        stopping.wait(AWAY_S)
    return False
