"""Several workers on one database: every job is run, and none of them twice."""

from collections import Counter

import pytest

WORKERS, JOBS = 3, 9

pytestmark = pytest.mark.thorough


def test_workers_share_the_queue_and_run_no_job_twice(bench, tmp_path):
    sheet = tmp_path / "sheet"
    bench.data_dir.mkdir()
    ids = {
        f"job-{k}": bench.queue("sign", name=f"job-{k}", sheet=str(sheet), scale=k)
        for k in range(JOBS)
    }
    workers = [bench.start(concurrency=2) for _ in range(WORKERS)]
    jobs = {name: bench.until(job_id) for name, job_id in ids.items()}

    lines = [line.split() for line in sheet.read_text().splitlines()]
    assert Counter(name for name, _ in lines) == dict.fromkeys(ids, 1)
    assert {int(parent) for _, parent in lines} <= {worker.pid for worker in workers}
    assert {(job.status, job.attempts) for job in jobs.values()} == {("succeeded", 1)}
    assert sorted(job.result["version"] for job in jobs.values()) == [
        *range(1, JOBS + 1)
    ]
    assert sorted(job_id for _, job_id in bench.versions()) == sorted(ids.values())
    assert bench.inputs() == 0
