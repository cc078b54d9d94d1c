"""Kills at random moments: no accepted job is lost, no version is half there."""

import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from app.artifacts.store import ArtifactStore

HERE = Path(__file__).parent
WORKERS = 2


@pytest.fixture
def sheets(tmp_path):
    """Where every run of a job leaves word of itself."""
    folder = tmp_path / "sheets"
    folder.mkdir()
    return folder


def storm(bench, sheets, *, jobs, kills, seed):
    """Kill a worker or a training process again and again while jobs are worked off."""
    draw = random.Random(seed)
    ids = [
        bench.queue("alone", seconds=0.4, scale=k, name=f"job-{k}", folder=str(sheets))
        for k in range(jobs)
    ]
    workers = [bench.start(concurrency=2) for _ in range(WORKERS)]
    for _ in range(kills):
        time.sleep(draw.uniform(0.3, 1.2))
        place = draw.randrange(WORKERS)
        below = psutil.Process(workers[place].pid).children()
        if below and draw.random() < 0.5:
            with suppress(psutil.NoSuchProcess):
                draw.choice(below).send_signal(signal.SIGKILL)
        else:
            workers[place].kill()
            workers[place].wait()
            workers[place] = bench.start(concurrency=2)
    return [bench.until(job_id) for job_id in ids]


def check(bench, sheets, ended):
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
    assert len(list(sheets.glob("job-*"))) >= len(succeeded), "the runs left word"
    assert list(sheets.glob("twice-*")) == [], "no job runs twice at once"
    store = ArtifactStore(bench.data_dir / "artifacts")
    names = bench.files()
    assert not [name for name in names if name.endswith(".staged")]
    for name in names:
        assert store.read(name.partition(".")[0])["format"] == 1


@pytest.mark.slow  # a few kills are among the tests of make test-slow
def test_five_kills(bench, sheets):
    check(bench, sheets, storm(bench, sheets, jobs=8, kills=5, seed=1))


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(5))
def test_twenty_kills(bench, sheets, seed):
    check(bench, sheets, storm(bench, sheets, jobs=30, kills=20, seed=seed))


def test_a_second_run_beside_the_first_would_be_seen(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    from injected_runs import alone

    request = {"folder": str(tmp_path), "name": "job-1", "seconds": 0}
    alone(request, lambda *_: True)
    assert list(tmp_path.glob("twice-*")) == []
    alone(request, lambda *_: True)
    assert [path.name for path in tmp_path.glob("twice-*")] == ["twice-job-1"]
