"""What one training may take: time, and memory with all that it starts.

Time counts from the moment the process was given its job. Memory is what the processes
below it hold resident, looked at a few times a second; a single leap is refused by the
kernel before that (``app.room.bound_memory``).
"""

from contextlib import suppress
from dataclasses import dataclass

import psutil

from app.errors import TrainingLimitError
from app.settings import Settings

__all__ = ["Bounds", "out_of_memory"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most seconds and bytes of one attempt; 0 bytes is no limit."""

    seconds: int
    memory_bytes: int = 0
    setting: str = "DEMUR_MAX_JOB_SECONDS"

    @classmethod
    def of(cls, settings: Settings, max_seconds: int | None) -> "Bounds":
        """Return the bounds of a job that asked for ``max_seconds``."""
        most, memory_bytes = settings.max_job_seconds, settings.max_job_memory_bytes
        if max_seconds is None or max_seconds > most:
            return cls(most, memory_bytes)
        return cls(max_seconds, memory_bytes, "max_seconds")

    def overtime(self, ran_s: float) -> TrainingLimitError | None:
        """Return the error of a training that has run for too long."""
        if ran_s <= self.seconds:
            return None
        return TrainingLimitError(
            f"the training ran longer than its {self.seconds} s ({self.setting}): "
            "train on fewer rows, or allow it more time"
        )

    def overweight(self, pid: int) -> TrainingLimitError | None:
        """Return the error of a process whose descendants hold too much."""
        if not self.memory_bytes or _resident_bytes(pid) <= self.memory_bytes:
            return None
        return out_of_memory(self.memory_bytes)


def out_of_memory(memory_bytes: int) -> TrainingLimitError:
    """Return the error of a training that needed more than ``memory_bytes``."""
    return TrainingLimitError(
        f"the training needed more than its {memory_bytes} bytes of memory "
        "(DEMUR_MAX_JOB_MEMORY_BYTES): train on fewer rows, or with less cache"
    )


def _resident_bytes(pid: int) -> int:
    held = 0
    with suppress(psutil.NoSuchProcess):
        for one in psutil.Process(pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                held += one.memory_info().rss
    return held
