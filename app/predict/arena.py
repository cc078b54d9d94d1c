"""Memory that the server shares with its process for large requests.

A body of megabytes goes through a pipe in pieces of 64 KiB, pickled before and copied
after, and the answer back the same way: a quarter of the time of the whole request.
Here each is copied once. What does not fit goes through the pipe.
"""

from collections.abc import Sequence
from multiprocessing.context import SpawnContext
from typing import Any

__all__ = ["Arena"]

BODY_BYTES = 4 << 20
ANSWER_BYTES = 12 << 20


class Arena:
    """Room for one body and one answer; it can be given to a process at its start.

    Parameters
    ----------
    context : SpawnContext
    """

    def __init__(self, context: SpawnContext) -> None:
        self._body = context.RawArray("c", BODY_BYTES)
        self._answer = context.RawArray("c", ANSWER_BYTES)

    def put_body(self, body: bytes) -> bool:
        """Keep a body; False where it is too long."""
        return _put(self._body, (body,))

    def body(self, size: int) -> bytes:
        """Return the body that was kept."""
        return bytes(memoryview(self._body).cast("B")[:size])

    def put_answer(self, pieces: Sequence[bytes]) -> bool:
        """Keep an answer; False where it is too long."""
        return _put(self._answer, pieces)

    def answer(self, size: int) -> bytes:
        """Return the answer that was kept."""
        return bytes(memoryview(self._answer).cast("B")[:size])


def _put(room: Any, pieces: Sequence[bytes]) -> bool:
    if sum(map(len, pieces)) > len(room):
        return False
    view = memoryview(room).cast("B")
    place = 0
    for piece in pieces:
        view[place : place + len(piece)] = piece
        place += len(piece)
    return True
