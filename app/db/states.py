"""The states of a job, of a case and of an opinion, and the moves between them.

A job:

    queued ──> running ──> succeeded
       │        │  │  └──> failed
       │        │  └─────> cancelled
       │        └────────> queued      its worker stopped or died: run it again
       ├─────────────────> cancelled
       └─────────────────> failed      its worker died too often

A case is open while ``waiting``, ``disputed`` (opinions differ, another is wanted) or
``reopened``, and closed as ``decided`` (by people), ``expired`` (answered by the
machine when it was due) or ``withdrawn``; a closed one may be reopened. An opinion is
``wanted`` (free, or held for a while), ``given``, ``set_aside`` (given before the case
was reopened) or ``void`` (no longer wanted).

The database refuses states that are none (CHECK constraints); a move is an UPDATE whose
WHERE names the state it starts from, so that two movers cannot both win.
"""

from collections.abc import Iterable
from enum import StrEnum

__all__ = [
    "FINISHED",
    "MOVES",
    "OPEN",
    "CaseState",
    "JobKind",
    "JobStatus",
    "OpinionState",
    "listed",
]


class JobKind(StrEnum):
    """What a job does."""

    TRAIN = "train"
    SCORE = "score"
    SHARD = "shard"
    """A part of one that scores."""


class JobStatus(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


MOVES: dict[JobStatus, frozenset[JobStatus]] = {
    JobStatus.QUEUED: frozenset(
        {JobStatus.RUNNING, JobStatus.CANCELLED, JobStatus.FAILED}
    ),
    JobStatus.RUNNING: frozenset(
        {
            JobStatus.SUCCEEDED,
            JobStatus.FAILED,
            JobStatus.CANCELLED,
            JobStatus.QUEUED,
        }
    ),
    JobStatus.SUCCEEDED: frozenset(),
    JobStatus.FAILED: frozenset(),
    JobStatus.CANCELLED: frozenset(),
}

FINISHED: frozenset[JobStatus] = frozenset(
    state for state, onward in MOVES.items() if not onward
)


class CaseState(StrEnum):
    """Where a case stands."""

    WAITING = "waiting"
    DISPUTED = "disputed"
    REOPENED = "reopened"
    DECIDED = "decided"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


OPEN: frozenset[CaseState] = frozenset(
    {CaseState.WAITING, CaseState.DISPUTED, CaseState.REOPENED}
)


class OpinionState(StrEnum):
    """Where a wanted opinion stands."""

    WANTED = "wanted"
    GIVEN = "given"
    SET_ASIDE = "set_aside"
    VOID = "void"


def listed(states: Iterable[StrEnum]) -> str:
    """Return states as SQL lists them."""
    return ", ".join(f"'{state}'" for state in sorted(states))
