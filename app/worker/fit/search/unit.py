"""The unit of work of a search: some fits on one fold, plain data in and out.

Nothing in a unit refers to the request, the table or the service, so that other
processes or machines can take it. Its rows are arguments beside it: most units share
them with others, and they are sent once.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.worker.fit.report import Progress
from solvers.errors import Interrupted, SolverError
from solvers.scoring import Outputs, load
from solvers.trainers.label_machine import LabelMachine, Task

__all__ = ["Pulse", "Rows", "Scored", "Unit", "goes_on", "run_unit"]

log = logging.getLogger(__name__)

Floats = NDArray[np.float64]

_SHOWN = 300


class Pulse:
    """Progress from several threads, in order and never backwards.

    In another process there is nobody to report to: a copy that was sent there says
    nothing and asks for nothing. A cancelled training ends with all its processes.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._lock = Lock()
        self._reached = 0.0
        self._go_on = True

    def __call__(self, fraction: float, message: str) -> bool:
        """Report; tell whether to go on."""
        with self._lock:
            self._reached = max(self._reached, fraction)
            self._go_on = self._go_on and self._progress(self._reached, message)
            return self._go_on

    def __reduce__(self) -> tuple[Callable[[], Progress], tuple[()]]:
        return _silent, ()


def goes_on(fraction: float, message: str) -> bool:
    """Go on: nothing is reported to anybody."""
    del fraction, message
    return True


def _silent() -> Progress:
    return goes_on


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Fits on the rows of one fold.

    Parameters
    ----------
    estimators : list of unfitted estimators
        Several share their kernel rows, and stand in the order to fit them in.
    link : function, optional
        As `Builder.link`.
    """

    estimators: list[Any]
    link: Callable[[Any], float] | None = None


class Rows(NamedTuple):
    """The rows of a unit.

    Parameters
    ----------
    matrix, target, weight
        Those to learn from; weight None is 1 for all.
    held : ndarray of shape (n_held, n_encoded)
        Those to score.
    options : mapping, optional
        What ``fit`` takes beside rows, target and weight.
    """

    matrix: Floats
    target: Floats
    weight: Floats | None
    held: Floats
    options: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """What one fit said of the held rows, or why it said nothing."""

    outputs: Outputs | None = None
    slope: float | None = None
    error: str | None = None
    seconds: float = 0.0


def run_unit(unit: Unit, *members: Any) -> list[Scored]:
    """Fit and score; a fit that fails does not keep the others from it.

    Parameters
    ----------
    unit : Unit
    *members
        The members of its `Rows`, one by one.

    Raises
    ------
    Interrupted
        When the training is to stop.
    """
    rows = Rows(*members)
    fit = _Fits(rows, alone=len(unit.estimators) == 1)
    outcomes = []
    for estimator in unit.estimators:
        began = time.perf_counter()
        try:
            fit(estimator)
            scored = _scored(estimator, unit, rows)
        except Interrupted:
            raise
        except (SolverError, ValueError, ArithmeticError, MemoryError) as failure:
            reason = str(failure) or type(failure).__name__
            scored = Scored(error=reason[:_SHOWN])
        except Exception as failure:
            log.exception("a candidate of a search stopped with an unexpected error")
            name = type(failure).__name__
            reason = f"an unexpected {name}; the worker's log says more"
            scored = Scored(error=reason)
        outcomes.append(replace(scored, seconds=time.perf_counter() - began))
    return outcomes


class _Fits:
    """Fit estimators one after the other; several share their kernel rows."""

    def __init__(self, rows: Rows, *, alone: bool) -> None:
        self._rows, self._alone = rows, alone
        self._task: Task | None = None
        self._before: LabelMachine | None = None

    def __call__(self, estimator: Any) -> None:
        """Fit one, from the solution before it where that is of the same kind."""
        matrix, target, weight, _, options = self._rows
        more = options or {}
        if self._alone:
            estimator.fit(matrix, target, sample_weight=weight, **more)
            return
        if self._task is None:
            self._task = estimator.task(matrix, target, weight, **more)
        start = self._before if type(self._before) is type(estimator) else None
        estimator.fit_task(self._task, start)
        self._before = estimator


def _scored(estimator: Any, unit: Unit, rows: Rows) -> Scored:
    scorer = load(estimator.scorer_payload())
    outputs = scorer.outputs(rows.held)
    if not np.isfinite(outputs.score).all():
        return Scored(error="its scores are not finite")
    slope = None if unit.link is None else unit.link(estimator)
    return Scored(outputs, slope)
