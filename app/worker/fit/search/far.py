"""The units of a search as tasks of a Dask cluster, through one client of it."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from threading import Event
from typing import Any

import joblib
import numpy as np
from threadpoolctl import threadpool_limits

from app.errors import ServiceUnavailableError, TrainingFailedError
from app.worker.fit.report import Report
from app.worker.fit.search.kept import library_versions
from app.worker.fit.search.unit import Rows, Scored, Unit, run_unit
from solvers.errors import Interrupted

__all__ = [
    "AWAY",
    "POLL_S",
    "Begun",
    "LostError",
    "Numbered",
    "SearchProgress",
    "Work",
    "run_far",
]

log = logging.getLogger(__name__)

POLL_S = 0.2
AWAY = (OSError, TimeoutError, CancelledError)
_ANSWER_S = 10.0
_LARGE_BYTES = 10_000

Numbered = tuple[int, list[Scored]]
Begun = dict[int, tuple[Unit, Rows]]


class LostError(Exception):
    """The cluster has forgotten what it was sent."""


class SearchProgress:
    """How far a search is; it is asked whether to go on as well."""

    def __init__(self, report: Report, total: int) -> None:
        self._report, self._total, self._done = report, total, 0

    def ask(self, message: str | None = None) -> None:
        """Report; raise where the training is to stop."""
        text = message or f"{self._done} of {self._total} fits on folds"
        if not self._report(self._done / self._total, text):
            raise Interrupted

    def done(self) -> None:
        """Count a unit that is done."""
        self._done += 1


class Work:
    """The units that one client has on the cluster.

    Parameters
    ----------
    client : Client
    waiting : iterator of (number, (Unit, Rows))
        Those that are to be begun.
    begun : dict
        Those that were, and are not done; kept up.
    progress : SearchProgress
    away : function
        Makes the error that says what is wrong with the cluster.
    patience_s : float
        How long a cluster without a worker is waited for.
    """

    def __init__(
        self,
        client: Any,
        waiting: Iterator[tuple[int, tuple[Unit, Rows]]],
        begun: Begun,
        progress: SearchProgress,
        away: Callable[[str], ServiceUnavailableError],
        patience_s: float,
    ) -> None:
        self._client, self._waiting, self._begun = client, waiting, begun
        self._progress, self._away, self._patience_s = progress, away, patience_s
        self._sent: dict[str, Any] = {}
        self._tasks: dict[Any, int] = {}
        self._stirred = Event()
        self._alone_since_s: float | None = None

    def results(self) -> Iterator[Numbered]:
        """Yield what units gave, until none is left.

        Raises
        ------
        LostError
            When they are to be sent again, through another client.
        """
        try:
            self._await_worker()
            for number in list(self._begun):
                self._submit(number)
            while self._fill():
                self._pause()
                for task in [one for one in self._tasks if one.status != "pending"]:
                    number = self._tasks.pop(task)
                    outcome = self._outcome(task, number)
                    del self._begun[number]
                    self._progress.done()
                    yield number, outcome
        except AWAY:
            raise LostError from None

    def _fill(self) -> bool:
        """Begin units while there is room; tell whether any is on its way."""
        room = 2 * max(self._threads(), 1)
        while len(self._tasks) < room and (one := next(self._waiting, None)):
            number, self._begun[one[0]] = one
            self._submit(number)
        return bool(self._tasks)

    def _submit(self, number: int) -> None:
        unit, rows = self._begun[number]
        members = [self._once(member) for member in rows]
        task = self._client.submit(
            run_far, unit, library_versions(), *members, pure=False
        )
        task.add_done_callback(lambda _: self._stirred.set())
        self._tasks[task] = number

    def _once(self, member: Any) -> Any:
        """Return what stands for a large argument that all workers have."""
        if member is None or (
            isinstance(member, np.ndarray) and member.nbytes < _LARGE_BYTES
        ):
            return member
        if isinstance(member, Mapping) and not member:
            return None
        digest = joblib.hash(member)
        if digest not in self._sent:
            (sent,) = self._client.scatter([member], broadcast=True, hash=False)
            self._sent[digest] = sent
        return self._sent[digest]

    def _outcome(self, task: Any, number: int) -> list[Scored]:
        from distributed import KilledWorker  # noqa: PLC0415 - an extra

        if task.status == "finished":
            scored: list[Scored] = task.result(timeout=_ANSWER_S)
            return scored
        if task.status != "error":
            raise LostError
        error = task.exception(timeout=_ANSWER_S)
        if isinstance(error, KilledWorker):
            reason = (
                "its fits ended several workers of the cluster, one after the other"
            )
            return [Scored(error=reason) for _ in self._begun[number][0].estimators]
        if isinstance(error, (*AWAY, Interrupted)):
            raise LostError
        if isinstance(error, TrainingFailedError):
            raise error
        log.error("a task of the cluster stopped", exc_info=error)
        msg = (
            f"a worker of the cluster stopped with {type(error).__name__}: all of them"
            " need this version of Demur; the worker's log says more"
        )
        raise TrainingFailedError(msg)

    def _threads(self) -> int:
        known = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return sum(worker["nthreads"] for worker in known)

    def _pause(self) -> None:
        """Wait a moment for any task; notice where nobody works any more."""
        self._stirred.wait(POLL_S)
        self._stirred.clear()
        self._progress.ask()
        if self._client.status != "running":
            raise LostError
        self._require_worker()

    def _await_worker(self) -> None:
        while not self._require_worker():
            self._progress.ask("waiting for a worker of the cluster")
            time.sleep(POLL_S)

    def _require_worker(self) -> bool:
        """Tell whether anybody works; raise where nobody has for long."""
        now_s = time.monotonic()
        if self._threads():
            self._alone_since_s = None
            return True
        self._alone_since_s = self._alone_since_s or now_s
        if now_s - self._alone_since_s > self._patience_s:
            msg = "has no worker"
            raise self._away(msg)
        return False


def run_far(unit: Unit, versions: dict[str, str], *members: Any) -> list[Scored]:
    """Do a unit on a worker of the cluster, as it is done at home.

    Raises
    ------
    TrainingFailedError
        When this worker has other versions of what decides the figures.
    """
    own = library_versions()
    if own != versions:
        other = ", ".join(
            f"{name} {own.get(name)} instead of {wanted}"
            for name, wanted in versions.items()
            if own.get(name) != wanted
        )
        msg = f"a worker of the cluster has {other}: figures would differ"
        raise TrainingFailedError(msg)
    threadpool_limits(1)  # for good: sums in one thread, as in a training process
    wanted = _still_wanted()
    for estimator in unit.estimators:
        estimator._progress = wanted  # noqa: SLF001 - the trainers' agreed private door
    return run_unit(unit, *members)


def _still_wanted() -> Callable[[float, str], bool]:
    """Return what a fit asks whether to go on: until its task is given up."""
    from distributed import get_worker  # noqa: PLC0415 - an extra

    worker = get_worker()
    key, tasks = worker.get_current_task(), worker.state.tasks

    def wanted(fraction: float, message: str) -> bool:
        del fraction, message
        task = tasks.get(key)
        return task is not None and task.state != "cancelled"

    return wanted
