"""Load on a local HTTP server from raw sockets, cheap enough not to be the bottleneck.

A closed loop has so many connections, each sending its next request when the last was
answered. An open loop sends at fixed times whatever the answers do, and counts latency
from the intended time, so that a stalled server is seen.
"""

import asyncio
import time
from dataclasses import dataclass, field

import numpy as np

__all__ = ["Load", "closed_loop", "open_loop", "post"]


@dataclass
class Load:
    """What was answered in a stretch of time."""

    seconds: float
    latencies_s: list[float] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        """Return answers per second."""
        return len(self.latencies_s) / self.seconds

    def percentile_ms(self, percent: float) -> float:
        """Return a percentile of the latency in milliseconds."""
        return float(np.percentile(self.latencies_s, percent)) * 1000.0


def post(path: str, body: bytes, more: str = "") -> bytes:
    """Return a request as it goes over the wire; ``more`` are lines of its head."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"{more}Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class _Connection(asyncio.Protocol):
    """One keep-alive connection; ``answered`` is called after each whole answer."""

    def __init__(self, request: bytes, answered) -> None:
        self.request, self.answered = request, answered
        self.sent_at = 0.0
        self.missing = 0
        self.head = b""

    def connection_made(self, transport) -> None:
        self.transport = transport

    def send(self) -> None:
        self.sent_at = time.perf_counter()
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        if not self.missing:
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self.head[:end].lower()
            if not head.startswith(b"http/1.1 200"):
                raise AssertionError(self.head[:2000])
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            self.missing = length + end + 4 - len(self.head)
            self.head = b""
        else:
            self.missing -= len(data)
        if not self.missing:
            self.answered(self)


async def _connect(port, request, answered) -> _Connection:
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(
        lambda: _Connection(request, answered), "127.0.0.1", port
    )
    return connection


async def closed_loop(
    port: int, request: bytes, connections: int, seconds: float
) -> Load:
    """Keep so many requests under way for so long."""
    latencies: list[float] = []
    loop = asyncio.get_running_loop()
    until = time.perf_counter() + seconds
    idle = 0
    done = loop.create_future()

    def answered(connection: _Connection) -> None:
        nonlocal idle
        now = time.perf_counter()
        latencies.append(now - connection.sent_at)
        if now < until:
            connection.send()
            return
        idle += 1
        if idle == connections:
            done.set_result(None)

    opened = [await _connect(port, request, answered) for _ in range(connections)]
    began = time.perf_counter()
    for connection in opened:
        connection.send()
    await done
    spent = time.perf_counter() - began
    for connection in opened:
        connection.transport.close()
    return Load(spent, latencies)


async def open_loop(port: int, request: bytes, rate: float, seconds: float) -> Load:
    """Send at fixed times; latency counts from then, waiting included."""
    latencies: list[float] = []
    free: asyncio.Queue[_Connection] = asyncio.Queue()
    intended: dict[_Connection, float] = {}

    def answered(connection: _Connection) -> None:
        latencies.append(time.perf_counter() - intended[connection])
        free.put_nowait(connection)

    opened = [await _connect(port, request, answered) for _ in range(32)]
    for connection in opened:
        free.put_nowait(connection)
    began = time.perf_counter()
    for k in range(int(rate * seconds)):
        at = began + k / rate
        await asyncio.sleep(max(0.0, at - time.perf_counter()))
        connection = await free.get()
        intended[connection] = at
        connection.send()
    for _ in opened:
        await free.get()
    spent = time.perf_counter() - began
    for connection in opened:
        connection.transport.close()
    return Load(spent, latencies)
