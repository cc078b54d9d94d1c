"""How deeply a JSON body is nested, found without reading it as JSON.

A body is looked at in slices, by what runs at the speed of memory: escapes go, all but
brackets and quotes goes, every second piece between quotes is a string and goes. What
is left are brackets. Matching pairs are taken away in rounds, one level a round, so

    deepest level <= level at the slice's beginning + rounds + brackets left open

and only a slice where that is more than allowed is counted one by one. A thread that
checks a large body lets others in between two slices.
"""

import asyncio
import time

from app.errors import MalformedRequestError

__all__ = ["check_depth", "require_depth"]

SLICE_BYTES = 1 << 16
LARGE_BYTES = 1 << 18
OPEN, CLOSE = b"[{", b"]}"
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
        level, deepest = _levels(brackets, level, most)
        if deepest > most:
            msg = (
                f"the body is nested too deeply: {most} levels are taken "
                "(DEMUR_MAX_JSON_DEPTH)"
            )
            raise MalformedRequestError(msg)
        time.sleep(0)  # let another thread have its turn


def _levels(brackets: bytes, level: int, most: int) -> tuple[int, int]:
    """Return the level after these brackets, and at least the deepest one in them."""
    rounds, left = 0, brackets
    while (fewer := left.replace(b"[]", b"").replace(b"{}", b"")) != left:
        rounds, left = rounds + 2, fewer
    opened = left.count(b"[") + left.count(b"{")
    after = level + 2 * opened - len(left)
    deepest = level + rounds + opened
    if deepest > most:
        deepest = level
        for bracket in brackets:
            level += 1 if bracket in OPEN else -1
            deepest = max(deepest, level)
    return after, deepest
