"""How deeply a JSON body is nested, found without reading it as JSON.

A body is looked at in slices, by what runs at the speed of memory: escapes go, all but
brackets and quotes goes, every second piece between quotes is a string and goes. What
is left are brackets, whose levels are a running sum. All of it is linear in the body.
A thread that checks a large body lets others in between two slices.
"""

import asyncio
import time

import numpy as np

from app.errors import MalformedRequestError

__all__ = ["check_depth", "require_depth"]

SLICE_BYTES = 1 << 16
LARGE_BYTES = 1 << 18
OPENING = 2
"""The bit that tells [ and { from ] and }."""
REST = bytes(set(range(256)) - set(b'[]{}"'))


async def check_depth(body: bytes, most: int) -> None:
    """Do as `require_depth`, a large body in a thread."""
    if len(body) > LARGE_BYTES:
        await asyncio.to_thread(require_depth, body, most)
    else:
        require_depth(body, most)


def require_depth(body: bytes, most: int) -> None:
    """Refuse a body that is nested more deeply than ``most`` levels.

    Raises
    ------
    MalformedRequestError
        When it is.
    """
    if body.count(b"[") + body.count(b"{") <= most:
        return
    level, in_string, escaped = 0, False, False
    for start in range(0, len(body), SLICE_BYTES):
        part = body[start + escaped : start + SLICE_BYTES]
        if b"\\" in part:
            part = part.replace(b"\\\\", b"").replace(b'\\"', b"")
        escaped = part.endswith(b"\\")
        part = (b'"' if in_string else b"") + part.translate(None, REST)
        in_string = part.count(b'"') % 2 == 1
        # two quotes side by side begin and end a string, or end one and begin another
        pieces = part.replace(b'""', b"").split(b'"')
        brackets = b"".join(pieces[::2])
        level, deepest = _levels(brackets, level)
        if deepest > most:
            msg = (
                f"the body is nested too deeply: {most} levels are taken "
                "(DEMUR_MAX_JSON_DEPTH)"
            )
            raise MalformedRequestError(msg)
        if start + SLICE_BYTES < len(body):
            time.sleep(0)  # let another thread have its turn


def _levels(brackets: bytes, level: int) -> tuple[int, int]:
    """Return the level after these brackets, and the deepest one in them."""
    if not brackets:
        return level, level
    opening = np.frombuffer(brackets, np.uint8) & OPENING
    levels = level + np.cumsum(opening.astype(np.int64) - 1)
    return int(levels[-1]), int(levels.max())
