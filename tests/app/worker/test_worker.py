"""A real worker process: ends, faults, orders."""

import os
import re
import signal
import time

import psutil
import pytest
from sqlalchemy import text

from app.artifacts.store import ArtifactStore
from tests.waiting import until

pytestmark = pytest.mark.thorough  # processes that start and die, on two databases
# of processes, not of databases: one is enough
embedded = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def test_a_success_is_a_version_with_its_file(bench):
    bench.start()
    first = bench.queue("succeed")
    job = bench.until(first)
    assert (job.status, job.attempts, job.progress_fraction) == ("succeeded", 1, 1.0)
    assert job.result == {"model": "m", "version": 1}
    assert job.started_at <= job.finished_at
    assert bench.versions() == [(1, first)]
    (name,) = bench.files()
    payload = ArtifactStore(bench.data_dir / "artifacts").read(name.split(".")[0])
    assert payload["weights"].tolist() == [0, 1, 2, 3, 4]
    assert bench.inputs() == 0, "the user's rows are kept no longer than the job"


@pytest.mark.postgres
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_database_that_goes_away_for_a_moment_costs_no_job(bench):
    worker = bench.start()
    job_id = bench.queue("wait_for_order", seconds=2)
    bench.until_reported(job_id)
    others = text(
        "SELECT pid FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    cut = set()
    with bench.database.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        for _ in range(5):
            until(lambda: set(connection.scalars(others)) - cut)
            cut.update(connection.scalars(others))
            for pid in cut:
                connection.execute(text(f"SELECT pg_terminate_backend({pid})"))
    job = bench.until(job_id)
    assert (job.status, job.attempts) == ("succeeded", 1)
    assert worker.poll() is None


@embedded
def test_jobs_run_in_the_order_of_their_arrival(bench):
    ids = [bench.queue("succeed", scale=k) for k in range(3)]
    bench.start()
    jobs = [bench.until(job_id) for job_id in ids]
    assert [job.result["version"] for job in jobs] == [1, 2, 3]
    assert bench.versions() == [(1, ids[0]), (2, ids[1]), (3, ids[2])]


FAULTS = (
    ("exit_badly", "training-crashed", "status 3"),
    ("be_killed", "training-crashed", "memory"),
    ("segfault", "training-crashed", "SIGSEGV"),
    ("refuse", "invalid-request", "row 3"),
    ("fail_in_solver", "training-failed", "no threshold satisfies"),
    ("fail_unforeseen", "training-failed", "RuntimeError"),
    ("run_out_of_memory", "training-failed", "memory"),
    ("pickle_something", "training-failed", "TypeError"),
)


@embedded
def test_a_fault_fails_that_job_alone_and_says_why(bench):
    worker = bench.start(concurrency=2)
    ids = {do: bench.queue(do) for do, _, _ in FAULTS}
    after = bench.queue("succeed")
    for do, kind, words in FAULTS:
        job = bench.until(ids[do])
        assert job.status == "failed", do
        assert job.error["type"] == f"/problems/{kind}"
        assert words in job.error["detail"]
        assert "4711" not in str(job.error), "what the data say stays out of answers"
    assert bench.until(after).status == "succeeded"
    assert bench.versions() == [(1, after)]
    assert bench.inputs() == 0
    assert worker.poll() is None
    assert bench.job(ids["refuse"]).error["errors"] == [
        {"pointer": "/data/rows/3/0", "detail": "no number", "row": 3, "column": "a"}
    ]


def test_progress_is_seen_and_a_cancel_works(bench):
    bench.start()
    job_id = bench.queue("wait_for_order")
    assert bench.until_reported(job_id).progress_message.startswith("step")
    bench.cancel(job_id)
    job = bench.until(job_id)
    assert job.status == "cancelled"
    assert job.error is None
    assert job.result is None
    assert bench.versions() == []


@embedded
def test_a_training_that_hears_nothing_is_killed(bench, child_of):
    worker = bench.start()
    job_id = bench.queue("hear_nothing")
    bench.until_reported(job_id)
    child = child_of(worker)
    bench.cancel(job_id)
    assert bench.until(job_id).status == "cancelled"
    child.wait(240)
    assert bench.until(bench.queue("succeed")).status == "succeeded"


SOON_S = 1.0


@pytest.mark.slow
@embedded
def test_progress_is_seen_and_a_cancel_works_within_a_second(bench):
    bench.start()
    took_s = []
    for do in ("wait_for_order", "hear_nothing"):
        for _ in range(4):
            job_id = bench.queue(do)
            bench.until(job_id, "running")
            began = time.monotonic()
            bench.until_reported(job_id)
            seen = time.monotonic()
            bench.cancel(job_id)
            assert bench.until(job_id).status == "cancelled"
            took_s.append((seen - began, time.monotonic() - seen))
        # Of several: a machine that was busy once proves nothing.
        assert max(map(min, zip(*took_s, strict=True))) < SOON_S, took_s


@embedded
def test_a_killed_training_process_fails_its_job_only(bench):
    worker = bench.start(concurrency=2)
    other = bench.queue("wait_for_order", seconds=4)
    bench.until_reported(other)
    victim = bench.queue("hear_nothing")
    said = bench.until_reported(victim).progress_message
    os.kill(int(re.search(r"\d+", said)[0]), signal.SIGKILL)
    assert bench.until(victim).error["type"] == "/problems/training-crashed"
    assert bench.until(other).status == "succeeded"
    assert worker.poll() is None


def test_sigterm_gives_the_job_back_without_counting_it(bench, child_of):
    worker = bench.start()
    job_id = bench.queue("wait_for_order")
    bench.until_reported(job_id)
    child = child_of(worker)
    assert child.nice() > psutil.Process(worker.pid).nice(), "answers come first"
    worker.terminate()
    assert worker.wait(240) == 0
    child.wait(240)
    job = bench.job(job_id)
    assert (job.status, job.attempts, job.worker_id) == ("queued", 0, None)
    assert bench.inputs() == 1


@embedded
def test_the_end_of_its_parent_stops_a_supervised_worker(bench):
    worker = bench.start(supervised=True)
    job_id = bench.queue("wait_for_order")
    bench.until_reported(job_id)
    worker.stdin.close()
    assert worker.wait(240) == 0
    assert bench.job(job_id).status == "queued"


@embedded
def test_what_a_training_leaves_behind_ends_with_it(bench, tmp_path):
    bench.start()
    sheet = tmp_path / "sheet"
    assert bench.until(bench.queue("leave_behind", sheet=str(sheet))).status == (
        "succeeded"
    )
    until(lambda: not psutil.pid_exists(int(sheet.read_text())))
    assert bench.until(bench.queue("succeed", model="next")).status == "succeeded"
