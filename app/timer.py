"""A timer for what is done again and again."""

import time

__all__ = ["Timer"]


class Timer:
    """Tells when ``every_s`` seconds have passed since it last said so."""

    def __init__(self, every_s: float) -> None:
        self.every_s, self._next_s = every_s, 0.0

    def due(self) -> bool:
        """Tell whether the time has come, and begin to wait anew if so."""
        now_s = time.monotonic()
        if now_s < self._next_s:
            return False
        self._next_s = now_s + self.every_s
        return True
