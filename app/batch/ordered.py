"""Work in several threads, its results in order.

    items (in order) -> results (in several threads) -> results (in order)

An error that an item raises is raised in the item's turn. So of several faults the
first one is reported, even when a later one was met before it.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from app.errors import ApiError

__all__ = ["in_order"]

_THREADS = min(4, os.cpu_count() or 1)

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    function: Callable[[Item], Result], items: Iterable[Item], in_flight: int
) -> Iterator[Result]:
    """Yield the result of each item, with at most so many others in memory.

    Parameters
    ----------
    function : callable
        Runs in several threads at once, on different items.
    items : iterable
        Gone through in this thread, no further ahead than ``in_flight``.
    in_flight : int
    """
    waiting: deque[Future[Result]] = deque()
    coming = iter(items)
    stopped: ApiError | None = None
    with ThreadPoolExecutor(_THREADS) as threads:
        while True:
            try:
                item = next(coming)
            except StopIteration:
                break
            except ApiError as error:
                stopped = error
                break
            waiting.append(threads.submit(function, item))
            if len(waiting) > in_flight:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    if stopped is not None:
        raise stopped
