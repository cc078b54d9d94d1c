"""The server: it accepts connections within a bound, and looks after those it has.

The bound keeps descriptors for files, databases and processes. Where it is reached, a
new client takes the place of those that have said nothing for the longest, while their
request is not there yet or their answer is not read; only where the service works for
all of them it waits. So clients that send half of a request and stop cost others
nothing. What was closed is told once a minute at most.
"""

import asyncio
import errno
import heapq
import logging
import resource
import socket
import threading
from collections import Counter
from dataclasses import dataclass
from time import monotonic
from types import FrameType
from typing import cast

import uvicorn

from app.web.protocol import BoundedProtocol

__all__ = ["Limits", "Server", "room_for"]

log = logging.getLogger(__name__)

AT_ONCE = 32
"""Connections accepted before others get their turn."""

OTHER_FILES = 200
"""Descriptors that are left to whatever is no connection of a client."""

PAUSE_S = SILENT_S = 0.05
"""Until it is tried again; and who was heard since then keeps its place."""

LOOK_EVERY_S = 1.0
TELL_EVERY_S = 60.0
_NO_DESCRIPTOR = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


@dataclass(frozen=True, slots=True)
class Limits:
    """What connections may take; see the settings of the same names."""

    connections: int
    head_seconds: float
    unread_seconds: float


def room_for(connections: int) -> int:
    """Return how many connections there are descriptors for, at most so many.

    The soft limit of this process is raised as far as it may be.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    room = max(1, min(connections, soft - OTHER_FILES))
    if room < connections:
        log.warning(
            "%s connections at once, not %s (DEMUR_MAX_CONNECTIONS): this process may"
            " have %s descriptors",
            room,
            connections,
            soft,
        )
    return room


class Server(uvicorn.Server):
    """uvicorn's server with connections within bounds; it tells when it has to stop.

    Parameters
    ----------
    config : uvicorn.Config
        Of an application; the protocol is this module's.
    limits : Limits
    stopping : threading.Event
        Set when the server was asked to stop.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        limits: Limits,
        stopping: threading.Event,
    ) -> None:
        super().__init__(config)
        self.limits, self.stopping = limits, stopping
        self._listener: socket.socket
        self._coming: set[asyncio.Task[None]] = set()
        self._closed: Counter[str] = Counter()
        self._looked_s = self._told_s = float("-inf")

    @property
    def _open(self) -> set[BoundedProtocol]:
        return cast("set[BoundedProtocol]", self.server_state.connections)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take no more requests, and end what would go on for long."""
        self.stopping.set()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept from the one socket, which listens already."""
        await super().startup(sockets=[])
        self._listener = next(iter(sockets or ()))
        self._listener.setblocking(False)
        self._resume()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more, and end what is open."""
        asyncio.get_running_loop().remove_reader(self._listener)
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Look at all connections now and then."""
        now_s = monotonic()
        if now_s - self._looked_s >= LOOK_EVERY_S:
            self._looked_s = now_s
            limits = self.limits
            for one in list(self._open):
                gone = one.look(now_s, limits.head_seconds, limits.unread_seconds)
                if gone is not None:
                    self._closed[gone] += 1
            self._tell(now_s)
        return await super().on_tick(counter)

    def _tell(self, now_s: float) -> None:
        if self._closed and now_s - self._told_s >= TELL_EVERY_S:
            reasons = ", ".join(f"{why}: {n}" for why, n in self._closed.items())
            log.warning(
                "connections closed (%s); see docs/operating.md, limits", reasons
            )
            self._told_s = now_s
            self._closed.clear()

    @property
    def _full(self) -> bool:
        return len(self._open) + len(self._coming) >= self.limits.connections

    def _resume(self) -> None:
        if self._listener.fileno() >= 0:
            asyncio.get_running_loop().add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        """Accept some of the connections that wait."""
        loop = asyncio.get_running_loop()
        for _ in range(AT_ONCE):
            if self._full:
                loop.remove_reader(self._listener)
                # first let everybody be heard whose bytes are here already
                loop.call_soon(self._go_on)
                return
            try:
                accepted, _ = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _NO_DESCRIPTOR:
                    raise
                self._closed["no descriptor"] += 1
                loop.remove_reader(self._listener)
                self._make_room()
                loop.call_later(PAUSE_S, self._resume)
                return
            task = loop.create_task(self._connect(accepted))
            self._coming.add(task)
            task.add_done_callback(self._coming.discard)

    def _go_on(self) -> None:
        """Accept again where there is room, or can be made."""
        if self._full and not self._make_room():
            asyncio.get_running_loop().call_later(PAUSE_S, self._go_on)
        else:
            self._resume()

    async def _connect(self, accepted: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                self._protocol, accepted
            )
        except OSError:  # it went away meanwhile
            accepted.close()

    def _protocol(self) -> asyncio.Protocol:
        return BoundedProtocol(
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )

    def _make_room(self) -> bool:
        """Close some of those whose turn it is, the longest silent first."""
        until_s = monotonic() - SILENT_S
        waiting = [one for one in self._open if one.waits and one.heard_s <= until_s]
        some = max(1, len(waiting) // 16)  # one look at all makes room for many
        for one in heapq.nsmallest(some, waiting, key=lambda one: one.heard_s):
            self._open.discard(one)
            one.transport.abort()
            self._closed["to make room"] += 1
        return bool(waiting)
