"""A process that serves HTTP, or several on one port, with a worker at their side.

The socket is bound before anything slow begins, so that a taken port is told at once
and requests wait in the backlog instead of being refused.
"""

import errno
import gc
import logging
import signal
import socket
import sys
import tempfile
import threading
from contextlib import nullcontext
from pathlib import Path

import uvicorn
from sqlalchemy.exc import SQLAlchemyError
from threadpoolctl import threadpool_limits

from app import logs
from app.artifacts import identity
from app.artifacts.store import ArtifactStore
from app.blobs import opening
from app.blobs.interface import Remote
from app.db import migrate
from app.db.session import open_database
from app.fleet import Fleet
from app.keys.start import require_key
from app.main import create_app
from app.settings import Settings
from app.web.accepting import Limits, Server, room_for
from app.web.protocol import BoundedProtocol
from app.worker.supervisor import Supervisor

__all__ = ["run"]

log = logging.getLogger(__name__)

BACKLOG = 2048
GRACE_S = 10


def run(settings: Settings, *, with_worker: bool) -> int:
    """Serve until a signal says stop; return the exit status.

    Raises
    ------
    SettingsError
        When others than this machine could come in without a key.
    """
    require_key(settings)
    try:
        listener = _bind(settings.host, settings.port)
    except OSError as error:
        why = (
            "the address is in use"
            if error.errno == errno.EADDRINUSE
            else error.strerror
        )
        print(  # noqa: T201 - a command speaks to its user
            f"demur: cannot listen on {settings.host}:{settings.port}: {why}",
            file=sys.stderr,
        )
        return 1
    if settings.embedded:
        database = open_database(settings.database)
        migrate.upgrade(database)
        database.close()
    if (fault := _store_fault(settings)) is not None:
        print(f"demur: {fault}", file=sys.stderr)  # noqa: T201 - as above
        return 1
    port = listener.getsockname()[1]
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    print(f"Demur listens on http://{shown}:{port}", flush=True)  # noqa: T201
    with Supervisor() if with_worker else nullcontext():
        if settings.processes == 1:
            return _serve(settings, listener)
        with tempfile.TemporaryDirectory(prefix="demur-counts-") as counts:
            fleet = Fleet(settings.processes, _serve_one_of, (settings, counts))
            return fleet.run(listener)


def _store_fault(settings: Settings) -> str | None:
    """Return why models could not be kept, or those of the others would be missing.

    Where the database does not answer, /readyz tells it when it does.
    """
    place = settings.place
    if isinstance(place, Remote):
        if (fault := opening.fault(place)) is not None:
            return fault
    elif settings.embedded:
        return None
    database = open_database(settings.database)
    try:
        if migrate.fault(database) is None:
            return identity.settle(database, ArtifactStore(settings.artifacts_dir))
    except (SQLAlchemyError, OSError) as error:
        log.warning("whose store this is was not asked: %s", type(error).__name__)
    finally:
        database.close()
    return None


def _serve(settings: Settings, listener: socket.socket, counts: str = "") -> int:
    """Serve from this process; ``counts`` is the folder that it shares with others."""
    stopping = threading.Event()
    app = create_app(settings, stopping, Path(counts) if counts else None)
    server = Server(
        uvicorn.Config(
            app,
            http=BoundedProtocol,
            ws="none",
            lifespan="on",
            access_log=False,
            server_header=False,
            log_config=None,
            timeout_graceful_shutdown=GRACE_S,
        ),
        Limits(
            room_for(settings.max_connections),
            settings.head_seconds,
            settings.unread_seconds,
        ),
        stopping,
    )
    threadpool_limits(1)  # products of one request are too small to be shared out
    # What is loaded by now stays: collections need not look at it again.
    gc.collect()
    gc.freeze()
    # uvicorn raises the signal that ended it once more, for whoever was there first
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: setattr(server, "should_exit", True))
    server.run(sockets=[listener])
    return 0 if server.started else 3


def _serve_one_of(listener: socket.socket, settings: Settings, counts: str) -> None:
    logs.set_up(settings.log_level)
    raise SystemExit(_serve(settings, listener, counts))


def _bind(host: str, port: int) -> socket.socket:
    """Return a listening socket on the address."""
    family, _, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    # Named as TCP, or asyncio leaves Nagle's delay on: 40 ms a request on loopback.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener
