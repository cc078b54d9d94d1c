"""The unit of work of a search: some fits on one fold, plain data in and out.

joblib runs the units. Nothing in them refers to the request, the table or the service,
so that a backend of other processes or machines can take them.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.worker.fit.report import Progress
from solvers.errors import Interrupted, SolverError
from solvers.scoring import Outputs, load
from solvers.trainers.label_machine import LabelMachine, Task

__all__ = ["Pulse", "Scored", "Unit", "run_unit"]

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


def _nobody(fraction: float, message: str) -> bool:
    del fraction, message
    return True


def _silent() -> Progress:
    return _nobody


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Fits on the rows of one fold.

    Parameters
    ----------
    estimators : list of unfitted estimators
        Several share their kernel rows, and stand in the order to fit them in.
    matrix, target, weight
        The rows that they learn from; weight None is 1 for all.
    held : ndarray of shape (n_held, n_encoded)
        The rows to score.
    link : function, optional
        As `Builder.link`.
    options : mapping
        What ``fit`` takes beside rows, target and weight.
    """

    estimators: list[Any]
    matrix: Floats
    target: Floats
    weight: Floats | None
    held: Floats
    link: Callable[[Any], float] | None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """What one fit said of the held rows, or why it said nothing."""

    told: Outputs | None = None
    slope: float | None = None
    error: str | None = None
    seconds: float = 0.0


def run_unit(unit: Unit) -> list[Scored]:
    """Fit and score; a fit that fails does not keep the others from it.

    Raises
    ------
    Interrupted
        When the training is to stop.
    """
    fit = _Fits(unit)
    found = []
    for estimator in unit.estimators:
        began = time.perf_counter()
        try:
            fit(estimator)
            scored = _scored(estimator, unit)
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
        found.append(replace(scored, seconds=time.perf_counter() - began))
    return found


class _Fits:
    """Fit estimators one after the other; several share their kernel rows."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._task: Task | None = None
        self._before: LabelMachine | None = None

    def __call__(self, estimator: Any) -> None:
        """Fit one, from the solution before it where that is of the same kind."""
        unit = self._unit
        if len(unit.estimators) == 1:
            estimator.fit(
                unit.matrix, unit.target, sample_weight=unit.weight, **unit.options
            )
            return
        if self._task is None:
            self._task = estimator.task(
                unit.matrix, unit.target, unit.weight, **unit.options
            )
        start = self._before if type(self._before) is type(estimator) else None
        estimator.fit_task(self._task, start)
        self._before = estimator


def _scored(estimator: Any, unit: Unit) -> Scored:
    scorer = load(estimator.scorer_payload())
    told = scorer.outputs(unit.held)
    if not np.isfinite(told.score).all():
        return Scored(error="its scores are not finite")
    slope = None if unit.link is None else unit.link(estimator)
    return Scored(told, slope)
