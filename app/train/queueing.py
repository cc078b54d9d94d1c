"""Check the limits of a training and queue it, once for each Idempotency-Key."""

from collections.abc import Iterator

from sqlalchemy.orm import Session

from app.datasets.training import note_use, outline
from app.errors import FieldError
from app.errors.faults import at, refuse
from app.features.table import Table
from app.jobs import replays
from app.jobs import service as jobs
from app.jobs.schemas import JobAnswer, job_answer
from app.room import memory_bytes
from app.settings import Settings
from app.state import AppState
from app.train import service
from app.train.parsing import Submission
from app.train.schemas import DatasetData

__all__ = ["queue"]


def queue(
    session: Session,
    state: AppState,
    body: bytes,
    repeatable: replays.Repeatable | None,
) -> tuple[JobAnswer, bool]:
    """Queue a training once; return the answer, and whether it was given before.

    Raises
    ------
    MalformedRequestError, InvalidRequestError
        When the request is not acceptable.
    KeyReusedError
        When its ``Idempotency-Key`` came with another body.
    QueueFullError
        When too many jobs wait.
    """
    settings = state.settings
    if repeatable is not None:
        with state.database.read() as reading:  # the write lock is not worth it yet
            answer = replays.kept_answer(reading, repeatable)
        if answer is not None:
            return JobAnswer.model_validate(answer), True

    def columns_of(data: DatasetData) -> Table:
        return outline(
            session,
            data.id,
            data.columns,
            settings.max_training_rows,
            settings.max_job_memory_bytes or memory_bytes() // settings.job_concurrency,
        )

    submission = service.accept(body, columns_of)
    _check_limits(submission, settings)
    if repeatable is not None:
        answer = replays.reserve(session, repeatable, settings.idempotency_hours)
        if answer is not None:
            return JobAnswer.model_validate(answer), True
    request = submission.request
    job = jobs.enqueue(
        session,
        model=request.model,
        request_body=body,
        plan=submission.plan.payload(),
        priority=request.priority,
        max_seconds=request.max_seconds,
    )
    if isinstance(request.data, DatasetData):
        note_use(session, request.data.id, job.id)
    jobs.require_room(session, settings.max_queued_jobs, own=1)
    queued = job_answer(job)
    if repeatable is not None:
        replays.keep(session, repeatable, job.id, queued.model_dump(mode="json"))
    return queued, False


def _check_limits(submission: Submission, settings: Settings) -> None:
    """Refuse what this service's settings do not allow."""
    faults = list(_table_faults(submission.table, settings))
    seconds, most_seconds = submission.request.max_seconds, settings.max_job_seconds
    if seconds is not None and seconds > most_seconds:
        detail = f"a training may run {most_seconds} s (DEMUR_MAX_JOB_SECONDS)"
        faults.append(FieldError(at("max_seconds"), detail))
    if faults:
        raise refuse(faults)


def _table_faults(table: Table, settings: Settings) -> Iterator[FieldError]:
    """Yield what is too large in the table of a request."""
    rows, most_rows = table.n_rows, settings.max_training_rows
    if most_rows is not None and rows > most_rows:
        detail = (
            f"there are {rows} rows, a training takes at most {most_rows}"
            " (DEMUR_MAX_TRAINING_ROWS)"
        )
        yield FieldError(at("data", "rows"), detail)
    columns, most_columns = len(table.names), settings.max_dataset_columns
    if columns > most_columns:
        detail = (
            f"there are {columns} columns, a table has at most {most_columns}"
            " (DEMUR_MAX_DATASET_COLUMNS)"
        )
        yield FieldError(at("data", "columns"), detail)
    most_bytes = settings.max_cell_bytes
    for position, name in enumerate(table.names):
        if table.types[name] != "categorical":
            continue
        for row, cell in enumerate(table.columns[name]):
            if isinstance(cell, str) and _is_longer(cell, most_bytes):
                detail = f"a text has {most_bytes} bytes at most (DEMUR_MAX_CELL_BYTES)"
                yield FieldError(at("data", "rows", row, position), detail, row, name)
                break


def _is_longer(text: str, most_bytes: int) -> bool:
    """Tell whether a text has more bytes in UTF-8, of which a character has up to 4."""
    return 4 * len(text) > most_bytes and len(text.encode()) > most_bytes
