"""Progress of a training, and the way to stop it.

A training is told to stop by the answer to its next report. Trainers report several
times a second from inside their loops, so a cancelled job stops within one.
"""

from collections.abc import Callable
from dataclasses import dataclass

from solvers.errors import Interrupted

__all__ = ["Progress", "Report"]

Progress = Callable[[float, str], bool]


@dataclass(frozen=True, slots=True)
class Report:
    """A stretch of the whole progress, from ``start`` to ``end``."""

    progress: Progress
    start: float = 0.0
    end: float = 1.0
    message: str = ""

    def part(self, start: float, end: float, message: str) -> "Report":
        """Return the report of a part of this stretch; it speaks with ``message``."""
        width = self.end - self.start
        return Report(
            self.progress,
            self.start + start * width,
            self.start + end * width,
            message,
        )

    def begin(self) -> None:
        """Report the beginning of this stretch.

        Raises
        ------
        Interrupted
            When the training is to stop.
        """
        if not self(0.0, ""):
            msg = "the training was cancelled"
            raise Interrupted(msg)

    def __call__(self, fraction: float, message: str) -> bool:
        """Pass a trainer's own progress on; False asks it to stop."""
        fraction = min(max(fraction, 0.0), 1.0)
        whole = ": ".join(text for text in (self.message, message) if text)
        return self.progress(self.start + fraction * (self.end - self.start), whole)
