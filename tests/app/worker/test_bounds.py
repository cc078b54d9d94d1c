"""What a training may take, by real workers: over it, this job fails and only this."""

import psutil
import pytest

from app.settings import Settings
from app.worker.bounds import Bounds
from tests.waiting import until

pytestmark = pytest.mark.thorough

MIB = 2**20


def limit_of(job):
    assert job.status == "failed", (job.status, job.progress_message)
    assert job.error["type"] == "/problems/training-limit"
    return job.error["detail"]


def test_a_training_over_its_time_is_stopped_and_says_so(bench):
    """One that obeys and one that hears nothing; the next job runs as ever."""
    bench.start(concurrency=2, max_job_seconds=30)
    slow = [
        bench.queue(do, terms={"max_seconds": 1})
        for do in ("wait_for_order", "hear_nothing")
    ]
    for job_id in slow:
        job = bench.until(job_id)
        assert "1 s (max_seconds)" in limit_of(job)
        seconds = (job.finished_at - job.started_at).total_seconds()
        assert 1 <= seconds < 40, "each would have taken a minute"
    assert bench.until(bench.queue("succeed")).status == "succeeded"
    assert len(bench.versions()) == 1
    assert bench.inputs() == 0
    assert len(bench.files()) == 1, "nothing is left of those that were stopped"


@pytest.mark.parametrize("do", ["leap", "grow", "grow_elsewhere"])
def test_a_training_over_its_memory_fails_alone(database_url, bench, do):
    if not database_url.startswith("sqlite"):
        pytest.skip("the database has no part in it")
    worker = bench.start(max_job_memory_bytes=400 * MIB)
    job = bench.until(bench.queue(do, bytes=64 * 2**30))
    assert "DEMUR_MAX_JOB_MEMORY_BYTES" in limit_of(job)
    assert job.attempts == 1
    assert bench.until(bench.queue("succeed")).status == "succeeded"
    assert worker.poll() is None

    def ended():
        below = psutil.Process(worker.pid).children(recursive=True)
        return all(p.memory_info().rss <= 400 * MIB for p in below)

    until(ended, lambda: "what it started still runs")


def test_the_tighter_of_request_and_setting_counts():
    settings = Settings(max_job_seconds=60, max_job_memory_bytes=512 * MIB)
    assert Bounds.of(settings, 10) == Bounds(10, 512 * MIB, "max_seconds")
    for asked in (None, 3600):
        assert Bounds.of(settings, asked) == Bounds(60, 512 * MIB)
    assert Bounds(60).overtime(59.9) is None
    assert "DEMUR_MAX_JOB_SECONDS" in str(Bounds(60).overtime(60.1))
