"""The states of a job and the moves between them.

    queued ──> running ──> succeeded
       │        │  │  └──> failed
       │        │  └─────> cancelled
       │        └────────> queued      its worker stopped or died: run it again
       ├─────────────────> cancelled
       └─────────────────> failed      its worker died too often

The database refuses states that are none (CHECK constraints); a move is an UPDATE whose
WHERE names the state it starts from, so that two movers cannot both win.
"""

from enum import StrEnum

__all__ = ["FINISHED", "MOVES", "JobStatus"]


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
