"""A CSV body through a model while it arrives.

    chunk -> blocks (in order) -> answers (in several threads) -> file (in order)

The answer is written to disk and sent when it is whole: a fault in the last line is
then still an answer of its own, and a client that sends everything before it reads
anything never waits for one that waits for it. At most ``IN_FLIGHT`` blocks are in
memory, whatever the size of the file.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator
from pathlib import Path
from typing import BinaryIO

from starlette.requests import Request

from app.batch.csv import CsvBatch, Records
from app.datasets.lane import Lane
from app.errors import InvalidRequestError
from app.predict.answer import Tally

__all__ = ["answer_stream"]

IN_FLIGHT = 4
_CHUNK_BYTES = 1 << 19

Answered = tuple[memoryview, Tally]


async def answer_stream(
    request: Request, batch: CsvBatch, lane: Lane, target: Path
) -> Tally:
    """Write the body of a request with its decisions to ``target``.

    Raises
    ------
    InvalidRequestError
        With the first fault of the file; the rest of the body has been let pass, so
        that the client gets to read it.
    """
    out = await lane.run(target.open, "wb")
    line, body = _Line(batch, lane, out), request.stream()
    try:
        async for chunk in _chunks(body):
            await line.take(chunk)
        await line.end()
    except InvalidRequestError:
        async for _ in body:
            pass
        raise
    finally:
        await line.stop()
        await lane.run(out.close)
    return line.tally


async def _chunks(body: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Yield the body in parts that are worth a thread's attention."""
    waiting: list[bytes] = []
    size = 0
    async for chunk in body:
        waiting.append(chunk)
        size += len(chunk)
        if size >= _CHUNK_BYTES:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


class _Line:
    """The blocks on their way, first in, first out."""

    def __init__(self, batch: CsvBatch, lane: Lane, out: BinaryIO) -> None:
        self.tally = Tally()
        self._batch, self._lane, self._out = batch, lane, out
        self._pending: deque[asyncio.Future[Answered]] = deque()
        self._begun = False

    async def take(self, chunk: bytes) -> None:
        """Begin with the next bytes; wait while too much is under way."""
        await self._cut(self._lane.start(self._batch.feed, chunk))

    async def end(self) -> None:
        """Finish the file."""
        await self._cut(self._lane.start(self._batch.finish))
        await self._write_until(0)
        if not self._begun:
            await self._lane.run(self._out.write, self._batch.header)

    async def _cut(self, cutting: "asyncio.Future[list[Records]]") -> None:
        try:
            blocks = await cutting
        except InvalidRequestError:
            await self._write_until(0)  # an earlier fault comes first
            raise
        for records in blocks:
            self._pending.append(self._lane.start(self._batch.answer, records))
            await self._write_until(IN_FLIGHT)

    async def _write_until(self, most: int) -> None:
        """Write answers in order until no more than ``most`` are under way."""
        while len(self._pending) > most:
            written, tally = await self._pending.popleft()
            if not self._begun:
                self._begun = True
                await self._lane.run(self._out.write, self._batch.header)
            await self._lane.run(self._out.write, written)
            self.tally.add(tally)

    async def stop(self) -> None:
        """Drop what is under way, without a word."""
        for answering in self._pending:
            answering.cancel()
        await asyncio.gather(*self._pending, return_exceptions=True)
        self._pending.clear()
