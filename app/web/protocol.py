"""HTTP/1.1 on one connection: uvicorn's protocol, with bounds that it lacks.

- An offer to speak another protocol (``Upgrade: h2c``, ``websocket``) is passed over:
  the request is parsed anew without it, its body and what follows it with it
  (RFC 9110, 7.8).
- A head has ``MOST_LINES`` lines of ``MOST_LINE_BYTES``, ``MOST_HEAD_BYTES`` together
  (431; 414 for the address), and a time to come (408). So have trailers, which nobody
  here reads: they are dropped.
- Requests that are sent ahead are parsed when those before them are answered. Until
  then no more is read, so that a connection never holds more than one answer that the
  client has not taken, and one piece of what it sends.
- A client that takes nothing of its answer is left after a while.

What the server refuses by itself it answers as a problem, waits a moment for the client
to read it, and closes.
"""

import asyncio
import json
from time import monotonic
from typing import Any, Literal

import httptools
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from app.errors import (
    ApiError,
    HeadTooLargeError,
    MalformedRequestError,
    RequestTimeoutError,
    UriTooLongError,
)
from app.web.wire import JoiningTransport

__all__ = ["MOST_HEAD_BYTES", "MOST_LINES", "MOST_LINE_BYTES", "BoundedProtocol"]

MOST_LINES = 100
MOST_LINE_BYTES = 1 << 14
MOST_HEAD_BYTES = 1 << 16
SLICE_BYTES = 1 << 13
"""Bytes that are parsed at once: they may hold hundreds of requests."""

LINGER_S = 1.0

Gone = Literal["slow head", "unread answer"]


class BoundedProtocol(HttpToolsProtocol):
    """One connection of one client."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.heard_s = monotonic()
        self.head_began_s: float | None = self.heard_s
        self.held = b""
        self._begun = self._refused = False
        self._head_bytes = self._unparsed = self._unread = 0
        self._unread_since_s = 0.0
        self._refusal: ApiError | None = None

    @property
    def waits(self) -> bool:
        """Whether it is the client's turn: to send the rest, or to read the answer."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete or self.flow.write_paused:
            return True
        awaited = cycle.more_body and not self.flow.read_paused
        return awaited and not cycle.response_started and not self.pipeline

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin a connection."""
        super().connection_made(JoiningTransport(transport, self.loop))
        self.flow = _Flow(self)

    def data_received(self, data: bytes) -> None:
        """Parse what came, unless it has to wait."""
        self._unset_keepalive_if_required()
        self.heard_s = monotonic()
        if self._refused:
            return
        if self.held or self.pipeline:
            self.held += data
            self.flow.pause_reading()
        elif len(data) <= SLICE_BYTES:
            self._parse(data)
        else:
            self._take(data)

    def look(self, now_s: float, head_s: float, unread_s: float) -> Gone | None:
        """Leave a client that is too slow; called every second or so."""
        began_s = self.head_began_s
        if began_s is not None and not self.held and now_s - began_s > head_s:
            self.head_began_s = None
            if self._begun:
                msg = (
                    f"the head did not arrive within {head_s:g} s (DEMUR_HEAD_SECONDS)"
                )
                self._refuse(RequestTimeoutError(msg))
            else:
                self.transport.close()
            return "slow head"
        unread = self.transport.get_write_buffer_size()
        if not unread or unread < self._unread or not self._unread:
            self._unread_since_s = now_s
        self._unread = unread
        if unread and now_s - self._unread_since_s > unread_s:
            self.transport.abort()
            return "unread answer"
        return None

    # what the parser calls

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self.head_began_s, self._begun = self.heard_s, True
        self._head_bytes = self._unparsed = 0

    def on_url(self, url: bytes) -> None:
        """Keep the address."""
        self.url += url
        if len(self.url) > MOST_LINE_BYTES:
            msg = f"an address has {MOST_LINE_BYTES} bytes at most"
            self._refusal = UriTooLongError(msg)
            raise self._refusal

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a line of the head; drop a trailer."""
        size = len(name) + len(value) + 4
        self._head_bytes += size
        self._unparsed = 0
        if (
            size > MOST_LINE_BYTES
            or self._head_bytes > MOST_HEAD_BYTES
            or len(self.headers) >= MOST_LINES
        ):
            self._refusal = HeadTooLargeError(_HEAD)
            raise self._refusal
        if self.head_began_s is not None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin to answer."""
        self.head_began_s = None
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Keep a part of the body."""
        self._unparsed = 0
        super().on_body(body)

    def on_response_complete(self) -> None:
        """Go on with what was sent ahead."""
        super().on_response_complete()
        if self.held and not self.pipeline and not self.transport.is_closing():
            self._unset_keepalive_if_required()
            if self.head_began_s is not None:
                self.head_began_s = monotonic()  # it had to wait for us
            held, self.held = self.held, b""
            self._take(held)
            self.flow.resume_reading()

    def _should_upgrade(self) -> bool:
        return True  # uvicorn then leaves what is offered to `_parse`

    def _take(self, data: bytes) -> None:
        """Parse some bytes until a request has to wait; hold the rest."""
        view = memoryview(data)
        for start in range(0, len(view), SLICE_BYTES):
            if self._refused or self.transport.is_closing():
                return
            if self.pipeline:
                self.held = bytes(view[start:])
                self.flow.pause_reading()
                return
            self._parse(view[start : start + SLICE_BYTES])

    def _parse(self, data: bytes | memoryview) -> None:
        self._unparsed += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as offer:
            self._pass_over(data[offer.args[0] :])
        except httptools.HttpParserError:
            msg = "this is no request of HTTP/1.1"
            self._refuse(self._refusal or MalformedRequestError(msg))
        else:
            if self._unparsed > MOST_HEAD_BYTES:
                self._refuse(HeadTooLargeError(_HEAD))

    def _pass_over(self, rest: bytes | memoryview) -> None:
        """Parse a request anew, without its offer to go on in another protocol."""
        if self.scope["method"] == "CONNECT":
            self._refuse(MalformedRequestError("CONNECT is for proxies"))
            return
        version = self.parser.get_http_version()
        line = f"{self.scope['method']} {self.url.decode('latin-1')} HTTP/{version}\r\n"
        lines = [
            name + b": " + value + b"\r\n"
            for name, value in self.headers
            if name != b"upgrade"
        ]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._parse(b"".join([line.encode("latin-1"), *lines, b"\r\n"]))
        if rest and not self._refused:
            self._parse(rest)

    def _refuse(self, error: ApiError) -> None:
        """Answer for the service, in its turn, and take no more requests."""
        if self._refused:
            return
        self._refused, self.held = True, b""
        cycle: RequestResponseCycle | None = self.cycle
        if self.pipeline:
            self.transport.abort()
        elif cycle is None or cycle.response_complete:
            self._answer(error)
        elif not cycle.more_body:
            cycle.keep_alive = False  # what came before is answered, and no more
        elif cycle.response_started:
            self.transport.abort()
        else:
            cycle.disconnected = True
            cycle.message_event.set()
            self._answer(error)

    def _answer(self, error: ApiError) -> None:
        body = json.dumps(error.problem()).encode()
        headers = [
            *self.server_state.default_headers,
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        lines = [name + b": " + value + b"\r\n" for name, value in headers]
        head = b"".join([STATUS_LINE[error.status], *lines, b"\r\n"])
        self.transport.write(head + body)
        self.transport.write_eof()
        self.flow.resume_reading()
        self.loop.call_later(LINGER_S, self.transport.close)


_HEAD = (
    f"a head has {MOST_LINES} lines of {MOST_LINE_BYTES} bytes at most, and"
    f" {MOST_HEAD_BYTES} bytes in all"
)


class _Flow(FlowControl):
    """Reading goes on only when nothing that was read waits."""

    def __init__(self, protocol: BoundedProtocol) -> None:
        super().__init__(protocol.transport)
        self._protocol = protocol

    def resume_reading(self) -> None:
        if not self._protocol.held:
            super().resume_reading()
