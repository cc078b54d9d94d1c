"""Jobs as the API shows and changes them, on both databases; no worker runs."""

import json
import uuid
from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from app.db.base import utc_now
from app.db.tables import Job, JobInput
from app.errors import ConflictError, UnknownJobError
from app.jobs import service
from app.jobs.identity import own_identity
from app.jobs.schemas import JobsQuery, job_answer
from app.worker import finish, recovery
from app.worker.claim import claim, queued


def enqueue(database, model="m", body=b"{}"):
    with database.write() as session:
        return service.enqueue(session, model=model, request_body=body).id


def answer(database, job_id):
    with database.read() as session:
        return job_answer(service.find(session, job_id))


def inputs(database):
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(JobInput))


@pytest.fixture
def worker_id(database):
    with database.write() as session:
        return recovery.enter(session, own_identity())


def test_a_queued_job_looks_as_the_contract_says(database):
    shown = json.loads(answer(database, enqueue(database, "pima")).model_dump_json())
    assert uuid.UUID(shown.pop("id")).version == 4
    created = shown.pop("created_at")
    assert created.endswith("Z")
    assert created[10] == "T"
    assert shown == {
        "kind": "train",
        "status": "queued",
        "model": "pima",
        "started_at": None,
        "finished_at": None,
        "progress": {"fraction": 0.0, "message": "queued"},
        "attempts": 0,
        "priority": 0,
        "max_seconds": None,
        "result": None,
        "error": None,
    }


def test_the_request_is_kept_byte_for_byte(database, worker_id):
    body = bytes(range(256)) * 10
    enqueue(database, body=body)
    with database.write() as session:
        assert claim(session, worker_id).body == body


def test_the_oldest_is_claimed_first_and_once(database, worker_id):
    ids = [enqueue(database) for _ in range(3)]
    claimed = []
    for _ in range(4):
        with database.write() as session:
            held = claim(session, worker_id)
            claimed.append(held and held.job_id)
    assert claimed == [*ids, None]
    with database.read() as session:
        assert not queued(session)
    assert answer(database, ids[0]).status == "running"
    assert answer(database, ids[0]).started_at is not None


def test_a_queued_job_is_cancelled_at_once_and_its_rows_are_gone(database, worker_id):
    job_id = enqueue(database)
    with database.write() as session:
        assert service.cancel(session, job_id).status == "cancelled"
    assert inputs(database) == 0
    shown = answer(database, job_id)
    assert shown.finished_at is not None
    with database.write() as session:
        assert claim(session, worker_id) is None
        assert service.cancel(session, job_id).status == "cancelled", "asked twice"


def test_a_running_job_is_asked_to_stop(database, worker_id):
    job_id = enqueue(database)
    with database.write() as session:
        held = claim(session, worker_id)
    with database.write() as session:
        service.cancel(session, job_id)
    shown = answer(database, job_id)
    assert (shown.status, shown.progress.message) == ("running", "being cancelled")
    with database.write() as session:
        assert finish.cancel(session, held)
    assert answer(database, job_id).status == "cancelled"


@pytest.mark.parametrize("ended", ["succeeded", "failed"])
def test_what_has_ended_is_not_cancelled(database, worker_id, ended):
    job_id = enqueue(database)
    with database.write() as session:
        held = claim(session, worker_id)
        if ended == "succeeded":
            finish.succeed(session, held, 7)
        else:
            finish.fail(session, held, {"detail": "x"})
    with database.write() as session, pytest.raises(ConflictError, match=ended):
        service.cancel(session, job_id)
    shown = answer(database, job_id)
    assert shown.status == ended
    assert (shown.result is not None) == (ended == "succeeded")
    assert (shown.error is not None) == (ended == "failed")
    assert inputs(database) == 0


@pytest.mark.parametrize(
    "job_id", ["7592a318-7768-4ca7-97e2-38653af674d1", "", "x", "\x00", "é" * 36, "'--"]
)
def test_an_unknown_job_is_unknown(database, job_id):
    with database.write() as session:
        with pytest.raises(UnknownJobError):
            service.find(session, job_id)
        with pytest.raises(UnknownJobError):
            service.cancel(session, job_id)


def test_pages_follow_each_other_also_where_times_are_equal(database):
    ids = [enqueue(database, "ab"[k % 2]) for k in range(7)]
    moment = utc_now() - timedelta(hours=1)
    with database.write() as session:
        session.execute(
            update(Job).where(Job.id.in_(ids[:4])).values(created_at=moment)
        )

    def pages(**chosen):
        seen, before = [], None
        while True:
            query = JobsQuery(limit=2, before=before, **chosen)
            with database.read() as session:
                jobs, before = service.page(session, query)
                seen.append([job.id for job in jobs])
            if before is None:
                return seen

    seen = pages()
    assert [len(page) for page in seen] == [2, 2, 2, 1]
    flat = [job_id for page in seen for job_id in page]
    assert sorted(flat) == sorted(ids)
    assert flat[:3] == list(reversed(ids[4:])), "newest first"
    only = [job_id for page in pages(model="a") for job_id in page]
    assert sorted(only) == sorted(ids[::2])
    assert pages(status="failed") == [[]]


def test_a_mark_that_names_no_job_is_an_empty_page(database):
    enqueue(database)
    with database.read() as session:
        query = JobsQuery(before=str(uuid.uuid4()))
        assert service.page(session, query) == ([], None)
