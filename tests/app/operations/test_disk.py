"""A disk that is full or read-only: told so, nothing half-written, all well after."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from app.web.failures import translate

MIB = 2**20
ROWS = [[float(k), "yes" if k % 3 else "no"] for k in range(60)]


def training(**changes):
    return {
        "model": "m",
        "trainer": {"kind": "svm"},
        "rule": {"kind": "chow", "reject_threshold": 0.2},
        "data": {"kind": "inline", "columns": ["x", "y"], "rows": ROWS},
        "target": {"column": "y", "positive": "yes"},
        **changes,
    }


def large():
    rows = [[0.123456789 + k, "yes" if k % 3 else "no"] for k in range(100_000)]
    return training(data={"kind": "inline", "columns": ["x", "y"], "rows": rows})


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 16 MiB of our own."""
    place = tmp_path / "disk"
    place.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(place)]
    if subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("only who may mount can make a small disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path, leave: int) -> Path:
    """Take all room but ``leave`` bytes."""
    filler = place / "filler"
    room = os.statvfs(place)
    filler.write_bytes(bytes(max(room.f_bavail * room.f_frsize - leave, 0)))
    return filler


def held(service):
    """Return the files beside the database, and how many jobs there are."""
    files = [
        path.name
        for folder in ("artifacts", "datasets")
        for path in (service.data_dir / folder).rglob("*")
        if path.is_file()
    ]
    return files, len(service.http.get("/jobs").json()["jobs"])


@pytest.fixture
def cramped(small_disk, service_type):
    """A service on the small disk."""
    service = service_type(
        small_disk,
        {"NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", "/tmp")},  # noqa: S108
    ).start()
    yield service
    service.stop()


def test_a_full_disk_is_507_and_leaves_nothing(cramped):
    filler = fill(cramped.data_dir, leave=MIB)
    before = held(cramped)
    refused = cramped.http.post("/train", json=large())
    assert (refused.status_code, refused.json()["type"]) == (
        507,
        "/problems/storage-full",
    )
    csv = "x,y\n" + "\n".join(f"{k}.5,{k}" for k in range(300_000))
    upload = cramped.http.post(
        "/datasets", content=csv, headers={"content-type": "text/csv"}
    )
    assert (upload.status_code, upload.json()["type"]) == (
        507,
        "/problems/storage-full",
    )
    assert held(cramped) == before
    assert cramped.http.get("/livez").status_code == 200

    filler.unlink()
    assert cramped.train(training())["status"] == "succeeded"


def test_a_job_outlives_a_disk_that_is_full_for_a_while(cramped):
    job_id = cramped.train(training(), wait=False)["id"]
    filler = fill(cramped.data_dir, leave=0)
    time.sleep(4)
    assert cramped.http.get("/livez").status_code == 200
    filler.unlink()
    job = cramped.await_job(job_id)
    if job["status"] == "failed":
        assert job["error"]["type"] == "/problems/storage-full"
    else:
        assert job["status"] == "succeeded"
    files, _ = held(cramped)
    assert len(files) == (job["status"] == "succeeded")
    assert cramped.train(training())["status"] == "succeeded"


def test_a_read_only_disk_is_one_line_of_the_command(small_disk, demur, tmp_path):
    assert demur("migrate", data_dir=small_disk).returncode == 0
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for command in (["serve", "--port", "0"], ["worker"], ["backup", tmp_path / "x"]):
        ended = demur(*command, data_dir=small_disk)
        assert ended.returncode == 1, command
        assert ended.stderr.startswith("demur: "), ended.stderr
        assert ended.stderr.count("\n") == 1


def test_a_database_that_has_become_read_only_is_507(tmp_path):
    writing = create_engine(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    with writing.begin() as connection:
        connection.execute(text("CREATE TABLE t (x)"))
    writing.dispose()
    reading = create_engine(f"sqlite:///file:{tmp_path / 'x.sqlite3'}?mode=ro&uri=true")
    with pytest.raises(OperationalError) as caught, reading.begin() as connection:
        connection.execute(text("INSERT INTO t VALUES (1)"))
    reading.dispose()
    problem = translate(caught.value)
    assert (problem.status, str(problem)) == (507, "the database is read-only")
