"""One work in parts, by several threads: the same bits as by one.

A part is a range of columns, features, rows or folds whose figures depend on nothing
outside it, and its bounds do not depend on the number of threads. What runs is
compiled, or linear algebra, and leaves the interpreter's lock alone; a part should
take a tenth of a millisecond or more.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from threadpoolctl import ThreadpoolController

__all__ = ["Team", "each_fold", "even", "jobs", "one_blas_thread", "using"]

_CONTROLLERS: list[ThreadpoolController] = []

Part = TypeVar("Part")
Result = TypeVar("Result")


class Team:
    """Threads that share works until it is dropped; one of them is the caller.

    Parameters
    ----------
    size : int, optional
        Threads; by default as many as ``using`` or ``joblib.parallel_config`` grants
        here: one where nobody has asked for more.
    """

    def __init__(self, size: int | None = None) -> None:
        self.size = jobs(None) if size is None else size
        self._pool = ThreadPoolExecutor(self.size - 1) if self.size > 1 else None

    def each(
        self, work: Callable[[Part], Result], parts: Iterable[Part]
    ) -> list[Result]:
        """Return what the work makes of each part, in their order.

        The first failure is raised when no part runs any more.
        """
        listed = list(parts)
        if self._pool is None or len(listed) < 2:
            return [work(part) for part in listed]
        shares = [listed[k :: self.size] for k in range(self.size)]
        others = [self._pool.submit(_all_of, work, share) for share in shares[1:]]
        try:
            found = [_all_of(work, shares[0])]
        finally:
            failures = [other.exception() for other in others]
        for failure in failures:
            if failure is not None:
                raise failure
        found += [other.result() for other in others]
        return [found[k % self.size][k // self.size] for k in range(len(listed))]


def even(n: int, parts: int, multiple: int = 1) -> list[tuple[int, int]]:
    """Return at most ``parts`` neighbouring ranges, bounds at multiples of a number."""
    step = -(-n // (parts * multiple)) * multiple
    return [(start, min(start + step, n)) for start in range(0, n, max(step, 1))]


def each_fold(
    work: Callable[[Any, Any], Result],
    split: Iterable[tuple[Any, Any]],
    n_jobs: int | None,
) -> list[Result]:
    """Return ``work(train, test)`` of each fold, ``n_jobs`` at once, in threads.

    The linear algebra library has one thread, however many folds run: a second one
    may change the last digits.
    """
    with one_blas_thread():
        return list(
            Parallel(n_jobs, prefer="threads")(
                delayed(work)(train, test) for train, test in split
            )
        )


def jobs(n_jobs: int | None) -> int:
    """Return how many threads ``n_jobs`` stands for, as joblib counts them.

    None is 1, unless within ``joblib.parallel_config``; -1 is all processors.
    """
    return int(effective_n_jobs(n_jobs))


def using(n_jobs: int | None) -> Any:
    """Return a context in which a Team has ``n_jobs`` threads; None changes nothing."""
    if n_jobs is None:
        return parallel_config()
    return parallel_config("threading", n_jobs=n_jobs)


def one_blas_thread() -> Any:
    """Return a context in which the linear algebra library uses one thread.

    On blocks of a few hundred rows its threads, waiting for the next product, slow the
    loops in between by more than they gain.
    """
    # Looking the libraries up takes milliseconds: once a process.
    if not _CONTROLLERS:
        _CONTROLLERS.append(ThreadpoolController())
    return _CONTROLLERS[0].limit(limits=1, user_api="blas")


def _all_of(work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    return [work(part) for part in parts]
