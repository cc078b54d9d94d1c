"""Room on a disk, tried by writing to it; and a bound on the memory of a process."""

import errno
import resource
import sys
import tempfile
from pathlib import Path

import psutil

__all__ = ["NO_ROOM", "bound_memory", "is_full", "memory_bytes", "try_to_write"]

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
_BYTES = 1 << 16
_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def try_to_write(folder: Path) -> None:
    """Write a little below a folder, and remove it again.

    Raises
    ------
    OSError
        When that cannot be done.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(_BYTES))
        file.flush()


def is_full(folder: Path) -> bool:
    """Tell whether it is for want of room that nothing can be written."""
    try:
        try_to_write(folder)
    except OSError as error:
        return error.errno in NO_ROOM
    return False


def bound_memory(most_bytes: int) -> None:
    """Refuse this process, from now on, more than ``most_bytes`` on top of its own.

    The kernel then refuses an allocation at once, however large; 0 is no bound. What is
    reserved without being used counts too, so this alone would be too strict.
    """
    if most_bytes and sys.platform == "linux":
        status = Path("/proc/self/status").read_text()
        own_kib = int(status.partition("VmData:")[2].split(maxsplit=1)[0])
        most = own_kib * 1024 + most_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def memory_bytes() -> int:
    """Return the memory that this machine has, or its container may take."""
    whole = int(psutil.virtual_memory().total)
    try:
        limit = _CONTAINER.read_text(encoding="ascii").strip()
    except OSError:  # no control groups, or of another kind
        return whole
    return min(whole, int(limit)) if limit.isdigit() else whole
