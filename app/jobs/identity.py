"""Which process is which: told apart also when process numbers are used again.

A process is a host (machine, boot, process namespace), a number there, and the moment
it began. On the same host it can be seen whether it is gone; elsewhere only its
heartbeat tells. A zombie is gone: it will never do anything again.
"""

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

__all__ = ["Identity", "own_identity"]

BOOT = Path("/proc/sys/kernel/random/boot_id")
NAMESPACE = Path("/proc/self/ns/pid")


@dataclass(frozen=True, slots=True)
class Identity:
    """A process, and where it runs."""

    host: str
    pid: int
    start: str

    def is_gone(self) -> bool | None:
        """Tell whether the process has ended; None when it cannot be seen from here."""
        if self.host != _host():
            return None
        return _start(self.pid) != self.start


def own_identity() -> Identity:
    """Return the identity of the calling process."""
    return Identity(_host(), os.getpid(), _start(os.getpid()) or "")


def _host() -> str:
    parts = [platform.node()]
    if sys.platform == "linux":
        parts += [BOOT.read_text().strip(), str(NAMESPACE.readlink())]
    return "/".join(parts)[:255]


def _start(pid: int) -> str | None:
    """Return when a living process began, on a clock that nobody sets."""
    if sys.platform != "linux":
        try:
            process = psutil.Process(pid)
            zombie = process.status() == psutil.STATUS_ZOMBIE
            return None if zombie else repr(process.create_time())
        except psutil.NoSuchProcess:
            return None
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # the name, in parentheses, may hold anything; state follows it, start is the 22nd
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[19]
