"""Counts of several processes that serve one port, summed when they are asked for.

Each process has a file of its own in a folder of the service's run, mapped into memory:
writing a count is writing eight bytes there, and it is read by whichever process
answers GET /metrics, at once and also after its writer died. So sums never go back
while the service runs, however its processes come and go.
"""

import json
import os
import uuid
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from prometheus_client.mmap_dict import MmapedDict

__all__ = ["SharedCounts", "key_of"]

SUFFIX = ".counts"

Parts = tuple[str, ...]


def key_of(*parts: str) -> str:
    """Return the name that a count has in a file."""
    return json.dumps(parts)


class SharedCounts:
    """The counts of this process, where others see them.

    One thread at a time may write (the event loop); any may read sums.

    Parameters
    ----------
    folder : Path
        The same for all processes of one run, and empty at its beginning.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._closed = folder, False
        # a process id may come again while the file of its last owner still counts
        name = f"{os.getpid()}-{uuid.uuid4().hex[:8]}{SUFFIX}"
        self._own = MmapedDict(str(folder / name))  # type: ignore[no-untyped-call]  # has no annotations

    def write(self, key: str, value: float) -> None:
        """Set a count of this process; after `close` it is too late to count."""
        if self._closed:
            return
        self._own.write_value(key, value, 0.0)  # type: ignore[no-untyped-call]  # as above

    def another(self) -> "SharedCounts":
        """Return counts in a file of their own, for another thread to write."""
        return SharedCounts(self._folder)

    def close(self) -> None:
        """Write no more; what was counted stays in the file."""
        self._closed = True
        self._own.close()  # type: ignore[no-untyped-call]  # as above

    def sums(self) -> dict[Parts, float]:
        """Return the counts of all processes together."""
        sums: defaultdict[Parts, float] = defaultdict(float)
        for file in self._folder.glob(f"*{SUFFIX}"):
            for key, value in _read(file):
                sums[tuple(json.loads(key))] += value
        return sums


def _read(file: Path) -> Iterator[tuple[str, float]]:
    values = MmapedDict.read_all_values_from_file(str(file))  # type: ignore[no-untyped-call]  # as above
    for key, value, _, _ in values:
        yield key, value
