"""Workers that die: their jobs run again, or fail after the third try."""

import signal

import psutil
import pytest
from sqlalchemy import select

from app.db.tables import Job, Worker
from app.jobs import service
from app.jobs.identity import Identity, own_identity
from app.worker import finish, recovery
from app.worker.claim import claim
from app.worker.messages import Done

# of processes, not of databases: one is enough

pytestmark = pytest.mark.thorough

embedded = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
DONE = Done(sha256="0" * 64, size=10, summary={"trainer": {"kind": "test"}})
ELSEWHERE = Identity("another-host", 1, "1")


def kill(worker):
    worker.send_signal(signal.SIGKILL)
    worker.wait()


@embedded
def test_the_training_dies_with_its_worker(bench, child_of):
    worker = bench.start()
    bench.until_reported(bench.queue("hear_nothing"))
    below = psutil.Process(worker.pid).children()
    kill(worker)
    _, alive = psutil.wait_procs(below, timeout=30)
    assert alive == []


def test_a_killed_worker_s_job_runs_again(bench):
    job_id = bench.queue("wait_for_order", seconds=2)
    worker = bench.start()
    bench.until_reported(job_id)
    kill(worker)
    assert bench.job(job_id).status == "running", "nobody was left to say otherwise"
    bench.start()
    job = bench.until(job_id)
    assert (job.status, job.attempts) == ("succeeded", 2)
    assert bench.versions() == [(1, job_id)]
    assert len(bench.files()) == 1


@embedded
def test_the_third_death_is_the_last(bench):
    job_id = bench.queue("wait_for_order")
    for attempt in (1, 2, 3):
        worker = bench.start()
        bench.until_reported(job_id)
        assert bench.job(job_id).attempts == attempt
        kill(worker)
        with bench.database.write() as session:  # the next report is a fresh one
            row = session.scalars(select(Job)).one()
            row.progress_fraction = 0
    bench.start()
    job = bench.until(job_id)
    assert job.status == "failed"
    assert job.error["type"] == "/problems/training-crashed"
    assert "3 attempts" in job.error["detail"]
    assert bench.inputs() == 0
    assert bench.versions() == []


def test_two_workers_share_a_queue_and_run_no_job_twice(bench):
    ids = [bench.queue("succeed", scale=k) for k in range(12)]
    bench.start(concurrency=2)
    bench.start(concurrency=2)
    jobs = [bench.until(job_id) for job_id in ids]
    assert {job.status for job in jobs} == {"succeeded"}
    assert {job.attempts for job in jobs} == {1}
    assert [number for number, _ in bench.versions()] == list(range(1, 13))


def test_a_version_whose_job_was_not_ended_is_completed_not_trained_again(database):
    held = _held_by(database, own_identity_of_the_dead())
    with database.write() as session:
        assert finish.publish(session, held, DONE) == 1
    _recover(database)
    job = _job(database)
    assert (job.status, job.result) == ("succeeded", {"model": "m", "version": 1})
    assert job.attempts == 1


def test_a_cancel_outlives_the_worker_that_should_have_obeyed(database):
    _held_by(database, own_identity_of_the_dead())
    with database.write() as session:
        session.scalars(select(Job)).one().cancel_requested = True
    _recover(database)
    assert _job(database).status == "cancelled"


class Clock:
    """A clock that stands still unless it is moved."""

    def __init__(self):
        self.now_s = 1000.0

    def monotonic(self):
        return self.now_s

    def sleep(self, seconds):
        self.now_s += seconds


def test_a_worker_elsewhere_is_dead_when_its_heart_stands_still(database, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(recovery, "time", clock)
    held = _held_by(database, ELSEWHERE)
    watch = recovery.Watch("me", patience_s=20)
    watch.recover(database)
    for _ in range(4):
        clock.sleep(8)
        with database.write() as session:
            assert recovery.beat(session, held.worker_id)
        watch.recover(database)
    assert _job(database).status == "running", "its heart beats"
    clock.sleep(19)
    watch.recover(database)
    assert _job(database).status == "running", "one is patient"
    clock.sleep(2)
    watch.recover(database)
    job = _job(database)
    assert (job.status, job.attempts) == ("queued", 1)
    with database.read() as session:
        assert session.scalars(select(Worker)).all() == []


def test_a_worker_that_was_wrongly_taken_for_dead_changes_nothing(database):
    late = _held_by(database, ELSEWHERE)
    watch = recovery.Watch("me", patience_s=-1)
    watch.recover(database)
    with database.write() as session:
        again = recovery.enter(session, own_identity())
        second = claim(session, again)
    assert second.attempt == 2
    with database.write() as session:
        assert not recovery.beat(session, late.worker_id)
        assert finish.publish(session, late, DONE) is None
        assert not finish.note_progress(session, late, 0.9, "late")
        assert not finish.succeed(session, late, 1)
        assert not finish.fail(session, late, {"detail": "late"})
        assert not finish.cancel(session, late)
        assert not finish.give_back(session, late, "late", counts=True)
    with database.write() as session:
        assert finish.publish(session, second, DONE) == 1
        assert finish.publish(session, second, DONE) == 1, "asked again, the same"
        assert finish.succeed(session, second, 1)
    assert _job(database).status == "succeeded"


def test_a_process_is_told_from_a_later_one_with_its_number():
    own = own_identity()
    assert own.is_gone() is False
    assert Identity(own.host, own.pid, "1").is_gone() is True
    assert Identity("another-host", own.pid, own.start).is_gone() is None


def own_identity_of_the_dead() -> Identity:
    own = own_identity()
    return Identity(own.host, own.pid, "long ago")


def _held_by(database, identity):
    with database.write() as session:
        service.enqueue(session, model="m", request_body=b"{}")
        return claim(session, recovery.enter(session, identity))


def _recover(database):
    recovery.Watch("me").recover(database)


def _job(database):
    with database.read() as session:
        return session.scalars(select(Job)).one()
