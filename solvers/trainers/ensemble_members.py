"""Members of an ensemble: which there are, and their scores on unseen rows.

Machines that differ in C alone share their kernel rows. A member is dropped, with a
reason, when its fits fail or the time is up. Until one member has scores, the time does
not count, so that there is always an answer.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from solvers.errors import Interrupted, SolverError
from solvers.threads import each_fold
from solvers.trainers.doubled_rows import DoubledRowsSVC
from solvers.trainers.gradient_boosting import GradientBoostingRejectClassifier
from solvers.trainers.logistic import LogisticRejectClassifier
from solvers.trainers.outside_scores import (
    FitRows,
    fit_on,
    rounds_in_common,
    scores_of,
)
from solvers.trainers.path import c_path
from solvers.trainers.randomised_trees import RandomisedTreesRejectClassifier
from solvers.trainers.row_splits import Split
from solvers.trainers.svm import HingeSVC

__all__ = ["LATE", "Outcome", "automatic_members", "checked_members", "score_members"]

Floats = NDArray[np.float64]
Members = Sequence[tuple[str, Any]]
Progress = Callable[[float, str], bool]

_MANY_ROWS = 100_000
_MANY_COLUMNS = 1_000
_MANY_FOR_EXACT = 200_000
_LANDMARKS = 500
LATE = "out of time"


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of a member on the folds.

    Parameters
    ----------
    member : classifier
        To be fitted on all rows, as the models of the folds were: a booster that would
        stop early has their number of rounds.
    scores : ndarray of shape (n_tested,) or None
        Of the rows that the folds test, in their order; None where it was dropped.
    seconds : float
        Of its fits; members that share kernel rows share their time evenly.
    dropped : str or None
        Why it has no scores.
    """

    member: Any
    scores: Floats | None
    seconds: float
    dropped: str | None = None


def automatic_members(
    n_rows: int, n_columns: int, random_state: Any = 0, *, doubt: bool = False
) -> list[tuple[str, Any]]:
    """Return the members where none are named, those that take least time first.

    Where targets are in ``doubt`` there are P-SVMs too, which learn probabilities.

    Above 100,000 rows gradient boosting comes first, above 1,000 columns random trees
    do; above 200,000 rows kernel machines are those of 500 landmarks. Leaves of
    random trees grow with the rows, which keeps a model small.
    """
    leaf = max(2, n_rows // 1000)
    seeded = {"random_state": random_state}
    grown = {"n_trees": 100, "min_samples_leaf": leaf, **seeded}
    linear = [(f"logistic C={C:g}", LogisticRejectClassifier(C)) for C in (0.03, 1, 30)]
    boosted = _boosted(seeded, {})
    random = [
        (kind, RandomisedTreesRejectClassifier(kind, **grown))
        for kind in ("extra-trees", "forest")
    ]
    landmarks = _LANDMARKS if n_rows > _MANY_FOR_EXACT else None
    machines = [
        machine
        for width in (1.0, 0.25, 1 / 16)
        for machine in _machines(width, n_columns, landmarks)
    ]
    if doubt:
        machines += _probabilistic(n_columns, landmarks)
    varied = [
        *_boosted(seeded, {"learning_rate": 0.05, "max_depth": 2}),
        *_boosted(seeded, {"max_depth": 6, "min_samples_leaf": 20}),
    ]
    varied_trees = {**grown, "min_samples_leaf": max(5, leaf), "max_features": 1.0}
    every = RandomisedTreesRejectClassifier(**varied_trees)
    last = [("extra-trees, all columns", every)]
    if n_columns > _MANY_COLUMNS:
        return [*random, *boosted, *machines, *linear, *varied, *last]
    if n_rows > _MANY_ROWS:
        return [*boosted, *linear, *random, *varied, *machines, *last]
    return [*linear, *boosted, *random, *machines, *varied, *last]


def _boosted(seeded: dict[str, Any], varied: dict[str, Any]) -> list[tuple[str, Any]]:
    changes = "".join(f" {name}={value}" for name, value in varied.items())
    booster = GradientBoostingRejectClassifier(**varied, **seeded)
    return [(f"gradient-boosting{changes}", booster)]


def _probabilistic(n_columns: int, landmarks: int | None) -> list[tuple[str, Any]]:
    return [
        (
            f"p-svm gamma={width:g}/columns C={C:g}",
            DoubledRowsSVC(C, C, gamma=width / n_columns, landmarks=landmarks),
        )
        for width in (1.0, 0.25, 1 / 16)
        for C in (0.1, 1.0, 10.0)
    ]


def _machines(
    width: float, n_columns: int, landmarks: int | None
) -> list[tuple[str, Any]]:
    name = f"svm gamma={width:g}/columns"
    if landmarks is not None:
        name += f" landmarks={landmarks}"
    return [
        (f"{name} C={C:g}", HingeSVC(C, gamma=width / n_columns, landmarks=landmarks))
        for C in (0.03, 0.3, 3.0, 30.0)
    ]


def checked_members(listed: Members) -> list[tuple[str, Any]]:
    """Return the members, cloned without a label of their own.

    Raises
    ------
    ValueError
        When there are none, or two of one name.
    TypeError
        When one cannot be stored as plain data.
    """
    names = [name for name, _ in listed]
    if not listed or len(set(names)) < len(names):
        msg = f"members need names of their own, at least one of them; got {names}"
        raise ValueError(msg)
    for name, member in listed:
        if not hasattr(member, "scorer_payload"):
            msg = (
                f"the member {name!r} is a {type(member).__name__}, which cannot be"
                " stored as plain data; take classifiers of this package"
            )
            raise TypeError(msg)
    # They learn from -1 and +1, whatever the labels are called.
    return [(name, clone(member).set_params(pos_label=1)) for name, member in listed]


def score_members(
    members: Members,
    rows: FitRows,
    split: Split,
    seconds: float,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[Outcome]:
    """Return each member's scores of rows that it did not learn from.

    Parameters
    ----------
    members : sequence of (name, classifier)
    rows : FitRows
    split : list of (train, test) rows
    seconds : float
        After so many no fit begins, and those that report their progress end; the first
        members are fitted all the same.
    n_jobs : int, optional
        Folds at once, in threads.
    progress : function (fraction, message) -> bool, optional

    Raises
    ------
    Interrupted
        When ``progress`` says so.
    """
    clock = _Clock(len(members), time.monotonic() + seconds, progress)
    outcomes: dict[int, Outcome] = {}
    waiting = _groups(members)
    while waiting:
        places = waiting.pop(0)
        start, reason = time.monotonic(), None
        alike = [members[i][1] for i in places]
        scores: list[Floats | None] = [None] * len(places)
        try:
            with catch_warnings():
                # A machine that did not converge is weighed by its scores all the same.
                simplefilter("ignore")
                clock.check(members[places[0]][0])
                if len(alike) == 1:
                    alike = [rounds_in_common(alike[0], rows, split, n_jobs, clock)]
                scores = _scored(alike, rows, split, clock, n_jobs)
                reason = "its scores are not finite"
        except Interrupted:
            if clock.cancelled:
                raise
            reason = LATE
        except (SolverError, ValueError, ArithmeticError, MemoryError) as failure:
            if len(places) > 1:  # each alone: one may have failed for all
                waiting[:0] = [[i] for i in places]
                continue
            reason = str(failure) or type(failure).__name__
        seconds_each = (time.monotonic() - start) / len(places)
        for i, member, of_member in zip(places, alike, scores, strict=True):
            if of_member is not None and np.isfinite(of_member).all():
                outcomes[i] = Outcome(member, of_member, seconds_each)
                clock.answered = True
            else:
                outcomes[i] = Outcome(member, None, seconds_each, reason)
        clock.done += len(places)
    return [outcomes[i] for i in range(len(members))]


class _Clock:
    """The progress callback of all members: stops their fits when the time is up."""

    def __init__(self, total: int, deadline: float, progress: Progress | None) -> None:
        self._total, self._deadline, self._progress = total, deadline, progress
        self.done, self.answered, self.cancelled = 0, False, False
        self._one_at_a_time = Lock()

    def __call__(self, fraction: float, message: str) -> bool:
        del fraction
        if self._progress is not None:
            reached = self.done / self._total
            with self._one_at_a_time:
                self.cancelled |= not self._progress(reached, message)
        late = self.answered and time.monotonic() >= self._deadline
        return not (self.cancelled or late)

    def check(self, message: str) -> None:
        """Raise Interrupted where no fit may begin."""
        if not self(0.0, message):
            raise Interrupted(message)


def _groups(members: Members) -> list[list[int]]:
    """Return the places of members, those together that differ in C alone."""
    groups: dict[object, list[int]] = {}
    for i, (_, member) in enumerate(members):
        key: object = i
        if type(member) is HingeSVC:
            given = member.get_params()
            key = repr(sorted((k, repr(v)) for k, v in given.items() if k != "C"))
        groups.setdefault(key, []).append(i)
    return list(groups.values())


def _scored(
    alike: Sequence[Any],
    rows: FitRows,
    split: Split,
    clock: _Clock,
    n_jobs: int | None,
) -> list[Floats | None]:
    """Return the scores of members of one group on what the folds test."""

    def fold(train: Any, test: Any) -> list[Floats]:
        if len(alike) == 1:
            models = [fit_on(alike[0], rows, train, clock)]
        else:
            machine = clone(alike[0])
            machine._progress = clock  # noqa: SLF001 - the trainers' own channel
            weight = None if rows.weights is None else rows.weights[train]
            C = [member.C for member in alike]
            models = c_path(machine, rows.X[train], rows.y[train], C, weight)
        scores = [scores_of(model, rows.X[test]) for model in models]
        clock.check("")
        return scores

    folds = each_fold(fold, split, n_jobs)
    return [np.concatenate(part) for part in zip(*folds, strict=True)]
