"""Kills at random moments: no accepted job is lost, no version is half there."""

import random
import signal
import time
from contextlib import suppress

import psutil
import pytest

from app.artifacts.store import ArtifactStore


def storm(bench, *, jobs, kills, seed):
    """Kill a worker or a training process again and again while jobs are worked off."""
    draw = random.Random(seed)
    ids = [bench.queue("wait_for_order", seconds=0.4, scale=k) for k in range(jobs)]
    worker = bench.start(concurrency=2)
    for _ in range(kills):
        time.sleep(draw.uniform(0.3, 1.2))
        below = psutil.Process(worker.pid).children()
        if below and draw.random() < 0.5:
            with suppress(psutil.NoSuchProcess):
                draw.choice(below).send_signal(signal.SIGKILL)
        else:
            worker.kill()
            worker.wait()
            worker = bench.start(concurrency=2)
    return [bench.until(job_id, timeout_s=120) for job_id in ids]


def check(bench, ended):
    for job in ended:
        if job.status == "failed":
            assert job.error["type"] == "/problems/training-crashed", job.error
        else:
            assert job.status == "succeeded"
    succeeded = {job.id: job.result["version"] for job in ended if job.result}
    assert succeeded, "the storm was not so bad"
    versions = bench.versions()
    assert {job_id: version for version, job_id in versions} == succeeded
    assert [v for v, _ in versions] == list(range(1, len(versions) + 1)), "no gaps"
    assert bench.inputs() == 0
    store = ArtifactStore(bench.data_dir / "artifacts")
    names = bench.files()
    assert not [name for name in names if name.endswith(".staged")]
    for name in names:
        assert store.read(name.partition(".")[0])["format"] == 1


def test_five_kills(bench):
    check(bench, storm(bench, jobs=8, kills=5, seed=1))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_twenty_kills(bench, seed):
    check(bench, storm(bench, jobs=30, kills=20, seed=seed))
