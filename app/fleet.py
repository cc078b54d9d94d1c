"""Several processes that accept from one socket, kept alive until a signal says stop.

The kernel gives each connection to one of them. They end when this process does,
however it went; one that dies is started again.
"""

import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from multiprocessing.context import SpawnProcess
from typing import Any

__all__ = ["Fleet"]

log = logging.getLogger(__name__)

LOOK_EVERY_S = 0.2
PAUSE_S = 1.0
"""A process that died sooner than this after its start waits as long for its next."""

STOP_S = 20.0
"""Longer than a process needs for the requests that it finishes."""


class Fleet:
    """Processes that all do one thing.

    Parameters
    ----------
    size : int
    serve : callable
        Called in each process with the socket, then ``arguments``; a function of a
        module. It returns when SIGTERM reaches its process.
    arguments : tuple
        What can cross the border of a process.
    """

    def __init__(
        self, size: int, serve: Callable[..., None], arguments: tuple[Any, ...]
    ) -> None:
        self._serve, self._arguments = serve, arguments
        self._members: list[SpawnProcess | None] = [None] * size
        self._began = [0.0] * size
        self._stopping = threading.Event()

    def run(self, listener: socket.socket) -> int:
        """Keep the processes until SIGTERM or SIGINT; return the exit status."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stopping.set())
        while not self._stopping.is_set():
            for place, member in enumerate(self._members):
                if member is None or not member.is_alive():
                    self._replace(place, listener)
            self._stopping.wait(LOOK_EVERY_S)
        return self._end()

    def _replace(self, place: int, listener: socket.socket) -> None:
        dead = self._members[place]
        if dead is not None:
            log.error(
                "a serving process ended with status %s; starting another",
                dead.exitcode,
            )
            dead.join()
            if time.monotonic() - self._began[place] < PAUSE_S:
                self._stopping.wait(PAUSE_S)
        # Spawned: a forked process would inherit locks of threads that it lacks.
        process = multiprocessing.get_context("spawn").Process(
            target=_member, args=(self._serve, listener, self._arguments)
        )
        process.start()
        self._members[place], self._began[place] = process, time.monotonic()

    def _end(self) -> int:
        members = [member for member in self._members if member is not None]
        for member in members:
            if member.is_alive():
                member.terminate()
        until = time.monotonic() + STOP_S
        clean = True
        for member in members:
            member.join(max(0.0, until - time.monotonic()))
            if member.is_alive():
                member.kill()
                member.join()
            clean = clean and member.exitcode in {0, -signal.SIGTERM}
        return 0 if clean else 1


def _member(
    serve: Callable[..., None], listener: socket.socket, arguments: tuple[Any, ...]
) -> None:
    threading.Thread(target=_end_with_the_fleet, daemon=True).start()
    serve(listener, *arguments)


def _end_with_the_fleet() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
