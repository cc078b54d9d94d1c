"""The training process: import everything, then fork for each job; it trains and ends.

    python -m app.worker.child FD PARENT_PID RUN

Importing takes seconds of a processor, forking milliseconds; the process that imported
never trains, so that every job begins in the same clean state. When a job's process
dies of a signal, the one that forked it dies of the same.

``RUN`` is the dotted path of ``run(request, progress, datasets, plan, kept) ->
Trained``: ``datasets`` is the place of the data sets, ``plan`` was stored with the job,
and ``kept`` is what an earlier attempt at the same search has found. The artifact is
written here and is complete on disk before it is reported; nothing is visible before
the worker has put its digest into the database. When the worker is gone, this process
and whatever it started are gone too.
"""

import gc
import importlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from multiprocessing.connection import Connection
from typing import Any, Protocol

import msgspec
import psutil

from app import logs
from app.artifacts.store import ArtifactStore
from app.blobs.interface import Place
from app.blobs.opening import place_of
from app.errors import ApiError, TrainingFailedError
from app.plain import finite
from app.room import bound_memory
from app.web.failures import translate
from app.worker.bounds import out_of_memory
from app.worker.compiled import nothing_compiled
from app.worker.fit.search.kept import Kept as KeptFigures
from app.worker.fit.search.kept import library_versions
from app.worker.limits import die_with_parent, yield_to_others
from app.worker.messages import (
    Begin,
    Cancel,
    Cancelled,
    Done,
    Failed,
    Kept,
    LastWord,
    Progress,
    Ready,
    decode_to_child,
    send,
)
from app.worker.patience import patiently
from solvers.errors import Interrupted, SolverError
from solvers.threads import using

__all__ = ["main"]

log = logging.getLogger(__name__)

REPORT_EVERY_S = 0.2
SCORING = "app.worker.scoring:score"
"""Of jobs that decide rows; most jobs are trainings, so it is not loaded before."""

COMPILING = " (the loops are compiled: once for an installation)"


class Trained(Protocol):
    """What a run gives back."""

    @property
    def artifact(self) -> dict[str, Any]:
        """Plain data that predictions can be made from."""

    @property
    def summary(self) -> dict[str, Any]:
        """What is told of the version."""

    @property
    def warnings(self) -> list[str]:
        """What its user should know."""


Run = Callable[
    [
        dict[str, Any],
        Callable[[float, str], bool],
        Place,
        dict[str, Any] | None,
        KeptFigures,
    ],
    Trained,
]


class Wire:
    """The line to the worker: progress out, orders in."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.cancelled = threading.Event()
        self._speaking = threading.Lock()
        self._next_report_s = 0.0
        self._furthest = 0.0
        self._said_too = COMPILING if nothing_compiled() else ""

    def progress(self, fraction: float, message: str) -> bool:
        """Report progress a few times a second; return False when asked to stop.

        What is told never goes back, though a step may have to estimate anew.
        """
        self._furthest = max(self._furthest, min(fraction, 1.0))
        now_s = time.monotonic()
        if now_s >= self._next_report_s:
            self._next_report_s = now_s + REPORT_EVERY_S
            text = message[: 200 - len(self._said_too)] + self._said_too
            self._send(Progress(self._furthest, text))
        return not self.cancelled.is_set()

    def keep(self, digest: str, figures: dict[str, Any]) -> None:
        """Tell what a candidate of a search did."""
        self._send(Kept(digest, figures))

    def _send(self, message: Progress | Kept) -> None:
        """Send one message whole; those who report may be several threads."""
        with self._speaking:
            send(self.connection, message)

    def listen(self) -> None:
        """Wait for orders; when the line ends, end this process and all it started."""
        while True:
            try:
                order = decode_to_child(self.connection.recv_bytes())
            except (EOFError, OSError):
                os.killpg(os.getpgrp(), signal.SIGKILL)
            else:
                if isinstance(order, Cancel):
                    self.cancelled.set()


def main(arguments: list[str]) -> None:
    """Serve jobs, one after the other."""
    descriptor, parent, run_path = int(arguments[0]), int(arguments[1]), arguments[2]
    die_with_parent(parent)
    yield_to_others()
    logs.set_up("info")
    run: Run = _load(run_path)
    gc.freeze()  # what is shared with the forks stays shared
    connection = Connection(descriptor)
    while (job := _next_job(connection)) is not None:
        if job[0].settings is not None:
            _load(SCORING)  # once, for this job and those after it
        own = os.getpid()
        if (forked := os.fork()) == 0:
            die_with_parent(own)
            _serve(run, *job, connection)
            return
        del job
        _, status = os.waitpid(forked, 0)
        _end_what_is_left(own)
        if os.WIFSIGNALED(status):
            os.kill(own, os.WTERMSIG(status))
        elif status:
            sys.exit(os.waitstatus_to_exitcode(status))


def _end_what_is_left(own: int) -> None:
    """Kill what a job started and did not wait for: all of the group but this one."""
    for pid in psutil.pids():
        with suppress(ProcessLookupError, PermissionError):
            if pid != own and os.getpgid(pid) == os.getpgrp():
                os.kill(pid, signal.SIGKILL)


def _next_job(connection: Connection) -> tuple[Begin, bytes] | None:
    """Wait for a job; None when the worker has stopped and needs us no more."""
    try:
        send(connection, Ready())
        begin = decode_to_child(connection.recv_bytes())
        while isinstance(begin, Cancel):  # of the job before, too late
            begin = decode_to_child(connection.recv_bytes())
        return begin, connection.recv_bytes()
    except (EOFError, OSError):
        return None


def _serve(run: Run, begin: Begin, body: bytes, connection: Connection) -> None:
    bound_memory(begin.memory_bytes)
    wire = Wire(connection)
    threading.Thread(target=wire.listen, daemon=True).start()

    def work() -> LastWord:
        if begin.settings is None:
            # As many threads as the operator grants a training, in whatever it does.
            with using(int(os.environ.get("DEMUR_SEARCH_JOBS", "1"))):
                return _train(run, body, begin, wire)
        word: LastWord = _load(SCORING)(body, begin.settings, wire.progress)
        return word

    send(connection, _ended(work, begin.memory_bytes))


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def _ended(attempt: Callable[[], LastWord], memory_bytes: int) -> LastWord:
    """Do a job and turn whatever happens into a last word."""
    try:
        return attempt()
    except Interrupted:
        return Cancelled()
    except SolverError as error:
        return Failed(TrainingFailedError(str(error)).problem())
    except MemoryError:
        return Failed(_too_large(memory_bytes).problem())
    except Exception as error:
        problem = _unforeseen(error)
        if problem is error and problem.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            log.info("the job was refused: %s", problem.slug)
        else:
            log.exception("the job stopped with an unexpected error")
        return Failed(problem.problem())


def _train(run: Run, body: bytes, begin: Begin, wire: Wire) -> Done:
    kept = KeptFigures(begin.figures, wire.keep)
    datasets, progress = place_of(begin.datasets), wire.progress
    trained = run(msgspec.json.decode(body), progress, datasets, begin.plan, kept)
    store = ArtifactStore(place_of(begin.artifacts), begin.owner)
    # What was found in hours is kept while an object store does not answer.
    stored = patiently(lambda: store.write(trained.artifact), progress)
    return Done(stored.sha256, stored.size, _summary(trained))


def _summary(trained: Trained) -> dict[str, Any]:
    summary: dict[str, Any] = finite(
        {
            "warnings": list(trained.warnings),
            "library_versions": library_versions(),
            **trained.summary,
        }
    )
    return summary


def _too_large(memory_bytes: int) -> ApiError:
    if memory_bytes:
        return out_of_memory(memory_bytes)
    return TrainingFailedError("the training ran out of memory")


def _unforeseen(error: Exception) -> ApiError:
    problem = translate(error)
    if type(problem) is not ApiError:
        return problem
    return TrainingFailedError(
        f"the training stopped with an unexpected {type(error).__name__}; "
        "the worker's log says more"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
