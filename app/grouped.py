"""One thread does the work of many: each time, all that has come in the meantime."""

from collections.abc import Callable
from threading import Condition, Thread
from typing import Generic, TypeVar

__all__ = ["Grouped"]

Item = TypeVar("Item")


class Grouped(Generic[Item]):
    """A queue with a bound, and a thread that does what waits as one group.

    Parameters
    ----------
    name : str
        Of the thread, which begins with the first item.
    do : callable
        Does a group, in the order in which it came; raises nothing.
    most : callable
        Returns what may wait, in sizes of items; one larger than that is taken when
        nothing waits.
    between : callable
        Called between groups, with whether it is for the last time.
    pause_s : float, optional
        Longest time until it is called again.
    """

    def __init__(
        self,
        name: str,
        do: Callable[[list[Item]], None],
        most: Callable[[], int],
        between: Callable[[bool], None],
        pause_s: float | None = None,
    ) -> None:
        self._name, self._do, self._most = name, do, most
        self._between, self._pause_s = between, pause_s
        self._waiting: list[Item] = []
        self._sizes = 0
        self._ready = Condition()
        self._thread: Thread | None = None
        self._stopping = False

    def put(self, item: Item, size: int) -> bool:
        """Hand an item over; return whether there was room."""
        with self._ready:
            if self._sizes and self._sizes + size > self._most():
                return False
            self._waiting.append(item)
            self._sizes += size
            self._ready.notify()
        self.start()
        return True

    def start(self) -> None:
        """Begin, if that was not done."""
        if self._thread is not None:
            return
        with self._ready:
            if self._thread is None:
                self._thread = Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Do what waits, and end."""
        with self._ready:
            self._stopping = True
            self._ready.notify()
        if self._thread is not None:
            self._thread.join(10)

    def _run(self) -> None:
        while True:
            with self._ready:
                if not self._waiting and not self._stopping:
                    self._ready.wait(self._pause_s)
                group, self._waiting = self._waiting, []
                taken, last = self._sizes, self._stopping and not group
            if group:
                self._do(group)
                with self._ready:
                    self._sizes -= taken
            self._between(last)
            if last:
                return
