"""What is written to a socket: the head of an answer and its body in one packet.

uvicorn writes the two one after the other, and each write is a call to the kernel, a
packet and a wake-up of the client; for a small answer that is a tenth of its time.
"""

import asyncio
from typing import Any

__all__ = ["JoiningTransport"]

HEAD = b"HTTP/1.1 "
MOST_JOINED = 1 << 16
"""Longer bodies are written by themselves: copying them costs more than a call."""


class JoiningTransport(asyncio.Transport):
    """Hold the head of an answer until what follows it, at most a turn of the loop.

    Parameters
    ----------
    transport : asyncio.Transport
    loop : asyncio.AbstractEventLoop
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop
    ) -> None:
        super().__init__()
        self._transport, self._loop = transport, loop
        self._held = b""
        # asked for in every request
        self.is_closing = transport.is_closing  # type: ignore[method-assign]
        self.get_extra_info = transport.get_extra_info  # type: ignore[method-assign]
        self.pause_reading = transport.pause_reading  # type: ignore[method-assign]
        self.resume_reading = transport.resume_reading  # type: ignore[method-assign]

    def get_write_buffer_size(self) -> int:
        """Return how many bytes the client has not taken yet."""
        return len(self._held) + self._transport.get_write_buffer_size()

    def write(self, data: Any) -> None:
        """Write, or hold for the next write."""
        held = self._held
        if held:
            self._held = b""
            if len(data) <= MOST_JOINED:
                self._transport.write(held + data)
                return
            self._transport.write(held)
        elif data.startswith(HEAD):
            self._held = data
            self._loop.call_soon(self._flush)
            return
        self._transport.write(data)

    def write_eof(self) -> None:
        """Tell the client that no more comes; it may still send."""
        self._flush()
        self._transport.write_eof()

    def close(self) -> None:
        """Close after everything is written."""
        self._flush()
        self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._held = b""
        self._transport.abort()

    def _flush(self) -> None:
        if self._held:
            held, self._held = self._held, b""
            self._transport.write(held)
