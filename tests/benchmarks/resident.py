"""The largest resident size of this process alone."""

from pathlib import Path

__all__ = ["peak_bytes"]


def peak_bytes() -> int:
    """Return the most that this process held resident since its program began (Linux).

    ``getrusage`` would tell the parent's size at the fork where that was larger, and a
    benchmark's parent holds what it has compared with.
    """
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    msg = "/proc/self/status names no VmHWM: this needs Linux"
    raise RuntimeError(msg)
