"""How jobs wait: in order, not too many, and none because its request came twice."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy import func, select, text, update

from app.db import migrate
from app.db.base import utc_now
from app.db.session import open_database
from app.db.tables import Job, JobInput, Replay
from app.errors import KeyReusedError, QueueFullError
from app.jobs import replays, service
from app.jobs.identity import own_identity
from app.worker import recovery
from app.worker.claim import claim


def enqueue(database, **terms):
    with database.write() as session:
        return service.enqueue(session, model="m", request_body=b"{}", **terms).id


def count(database, table):
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(table))


def test_the_most_urgent_is_claimed_first_and_among_equals_the_oldest(database):
    urgency = [0, -7, 3, 0, 3]
    ids = [
        enqueue(database, priority=p, max_seconds=k + 1) for k, p in enumerate(urgency)
    ]
    with database.write() as session:
        worker_id = recovery.enter(session, own_identity())
    claimed = []
    for _ in ids:
        with database.write() as session:
            held = claim(session, worker_id)
            claimed.append((held.job_id, held.max_seconds))
    assert claimed == [(ids[k], k + 1) for k in (2, 4, 0, 3, 1)]


def at_once(work, n):
    """Run ``work(k)`` in n threads that start together; return what each gave."""
    gate, results = threading.Barrier(n), [None] * n

    def one(k):
        gate.wait()
        try:
            results[k] = work(k)
        except (KeyReusedError, QueueFullError) as error:
            results[k] = error

    threads = [threading.Thread(target=one, args=(k,)) for k in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_no_more_wait_than_may_also_when_many_come_at_once(database):
    def one_more(k):
        with database.write() as session:
            service.require_room(session, 3)
            return service.enqueue(session, model="m", request_body=b"{}").id

    results = at_once(one_more, 8)
    refused = [error for error in results if isinstance(error, QueueFullError)]
    assert len(refused) == 5
    assert count(database, Job) == 3
    with database.write() as session:
        session.execute(update(Job).values(status="cancelled", finished_at=utc_now()))
    one_more(0)  # what has ended takes no room


def send(database, key="k", body=b"{}", sender="Bearer one", hours=24.0):
    """Do what POST /train does with an Idempotency-Key; return the job's id."""
    request = replays.Repeatable.of(sender, key, body)
    with database.write() as session:
        answer = replays.reserve(session, request, hours)
        if answer is not None:
            return answer["id"]
        job = service.enqueue(session, model="m", request_body=body)
        replays.keep(session, request, job.id, {"id": job.id})
        return job.id


def test_a_key_stands_for_one_job_of_one_body_and_one_sender(database):
    first = send(database)
    assert send(database) == first
    with pytest.raises(KeyReusedError):
        send(database, body=b"{ }")
    others = [send(database, key="K"), send(database, sender="Bearer two")]
    assert len({first, *others}) == 3
    assert count(database, Job) == 3
    with database.read() as session:
        stored = " ".join(session.scalars(select(Replay.key_sha256)))
    assert "one" not in stored


def test_equal_requests_at_the_same_moment_are_one_job(database):
    assert len(set(at_once(lambda _: send(database), 8))) == 1
    assert count(database, Job) == 1
    results = at_once(lambda k: send(database, key="x", body=b"%d" % (k % 2)), 8)
    kept = {result for result in results if isinstance(result, str)}
    assert len(kept) == 1
    assert sum(isinstance(result, KeyReusedError) for result in results) == 4
    assert count(database, Job) == 2


def test_what_failed_keeps_no_key(database):
    request = replays.Repeatable.of("", "k", b"{}")

    def reserve_and_fail():
        with database.write() as session:
            assert replays.reserve(session, request, 1.0) is None
            service.require_room(session, 0)

    with pytest.raises(QueueFullError):
        reserve_and_fail()
    assert count(database, Replay) == 0
    assert send(database, sender="") is not None


def test_a_key_is_forgotten_after_its_time(database):
    first = send(database, hours=1.0)
    with database.write() as session:
        session.execute(
            update(Replay).values(expires_at=utc_now() - timedelta(seconds=1))
        )
    with database.read() as session:
        request = replays.Repeatable.of("Bearer one", "k", b"{}")
        assert replays.kept_answer(session, request) is None
    assert send(database) != first
    assert count(database, Replay) == 1


def test_jobs_that_wait_survive_the_migration_that_added_limits(database_url):
    database = open_database(database_url)
    migrate.upgrade(database, "20261127_datasets")
    with database.write() as session:
        session.execute(
            text(
                "INSERT INTO jobs (id, status, model, attempts, cancel_requested,"
                " progress_fraction, progress_message, created_at) VALUES"
                " ('j', 'queued', 'm', 0, :no, 0, 'queued', :now)"
            ),
            {"no": False, "now": "2026-11-27 10:00:00.000000"},
        )
        session.execute(
            text("INSERT INTO job_inputs (job_id, body) VALUES ('j', :body)"),
            {"body": b"rows"},
        )
    migrate.upgrade(database)
    with database.read() as session:
        job = session.scalars(select(Job)).one()
        assert (job.priority, job.max_seconds) == (0, None)
        kept = session.scalars(select(JobInput)).one()
        assert (kept.body, kept.plan) == (b"rows", None)
    database.close()
