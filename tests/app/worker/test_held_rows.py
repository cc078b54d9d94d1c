"""What a transaction that vanished holds stops nothing else."""

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from app.db.session import is_held
from app.db.tables import Job, Model, Worker
from app.jobs import service
from app.jobs.identity import Identity, own_identity
from app.web.failures import translate
from app.worker import finish, recovery
from app.worker.claim import claim

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.thorough,
    pytest.mark.parametrize("database_url", ["postgresql"], indirect=True),
]


@pytest.fixture
def vanished(database):
    """A transaction that takes rows and is never heard of again."""
    connection = database.engine.connect()
    connection.begin()

    def take(query):
        assert list(connection.execute(query.with_for_update()))

    yield take
    connection.close()


def test_a_worker_goes_on_with_all_other_jobs(bench, vanished):
    bench.start(concurrency=2)
    held = bench.queue("wait_for_order", seconds=60)
    bench.until_reported(held)
    vanished(select(Job.id).where(Job.id == held))
    for _ in range(2):
        assert bench.until(bench.queue("succeed")).status == "succeeded"
    waiting = bench.queue("succeed")
    vanished(select(Job.id).where(Job.id == bench.queue("succeed")))
    assert bench.until(waiting).status == "succeeded"
    assert bench.job(held).status == "running"


def test_a_job_that_ends_while_its_row_is_held_is_settled_later(bench, database):
    bench.start(concurrency=2)
    held = bench.queue("wait_for_order", seconds=2)
    bench.until_reported(held)
    with database.engine.begin() as connection:
        connection.execute(select(Job.id).where(Job.id == held).with_for_update())
        for _ in range(3):
            assert bench.until(bench.queue("succeed")).status == "succeeded"
        assert bench.job(held).status == "running"
    assert bench.until(held).status == "succeeded"


def test_a_model_that_is_held_keeps_only_its_own_trainings(bench, database):
    bench.start(concurrency=2)
    assert bench.until(bench.queue("succeed", "held")).status == "succeeded"
    with database.engine.begin() as connection:
        connection.execute(select(Model.id).with_for_update())
        late = bench.queue("succeed", "held")
        assert bench.until(bench.queue("succeed", "free")).status == "succeeded"
        assert bench.job(late).status != "succeeded"
    assert bench.until(late).status == "succeeded"


def test_who_asks_for_what_is_held_is_told_so(database, vanished):
    with database.write() as session:
        job = service.enqueue(session, model="m", request_body=b"{}")
    vanished(select(Job.id))
    with (
        pytest.raises(OperationalError) as caught,
        database.write() as session,
    ):
        service.cancel(session, job.id)
    assert is_held(caught.value)
    problem = translate(caught.value)
    assert problem.status == 503
    assert "holds" in problem.detail


def test_a_dead_worker_is_struck_off_once_all_its_jobs_are_settled(database):
    with database.write() as session:
        gone = recovery.enter(session, Identity("elsewhere", 1, 1.0))
        mine = recovery.enter(session, own_identity())
        jobs = [
            service.enqueue(session, model="m", request_body=b"{}").id for _ in range(2)
        ]
    for _ in jobs:
        with database.write() as session:
            assert claim(session, gone) is not None
    watch = recovery.Watch(mine, patience_s=-1.0)

    def states():
        with database.read() as session:
            found = dict(session.execute(select(Job.id, Job.status)).all())
            return [found[job] for job in jobs], list(
                session.scalars(select(Worker.id))
            )

    with database.engine.begin() as connection:
        connection.execute(select(Job.id).where(Job.id == jobs[0]).with_for_update())
        watch.recover(database)
        assert states() == (["running", "queued"], [gone, mine])
    watch.recover(database)
    assert states() == (["queued", "queued"], [mine])


def test_a_worker_whose_own_row_is_held_is_not_taken_for_dead(database, vanished):
    with database.write() as session:
        mine = recovery.enter(session, own_identity())
    vanished(select(Worker.id))
    with recovery.later_if_held("worker"), database.write() as session:
        recovery.beat(session, mine)
        pytest.fail("the row is held")


def test_what_is_held_is_left_out_of_the_notes(database, vanished):
    with database.write() as session:
        worker = recovery.enter(session, own_identity())
        for _ in range(2):
            service.enqueue(session, model="m", request_body=b"{}")
    claims = []
    for _ in range(2):
        with database.write() as session:
            claims.append(claim(session, worker))
    vanished(select(Job.id).where(Job.id == claims[0].job_id))
    with database.write() as session:
        assert finish.free(session, claims) == {claims[1].job_id}
