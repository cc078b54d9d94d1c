"""A disk that is full or read-only: told so, nothing half-written, all well after."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from app.web.failures import translate
from tests.app.trainings import inline, rows, training
from tests.waiting import until

pytestmark = pytest.mark.thorough

MIB = 2**20


def large():
    """A training whose numbers have many digits."""
    return training(data=inline([[0.123456789 + x, y] for x, y in rows(100_000)]))


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
    """A service on the small disk; its log is in the way of nobody."""
    (small_disk / "log").symlink_to(small_disk.with_name("log"))
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


ASKED = {"model": "m", "instances": [{"x": 3.5}, {"x": 40.0}]}
OTHER_RULE = {"kind": "chow", "reject_threshold": 0.3}
ALIAS = ("PUT", "/models/m/aliases/a", {"json": {"version": 1}})
CSV = {"content": b"x,y\n1,2\n", "headers": {"content-type": "text/csv"}}
WRITING = [
    ("POST", "/train", {"json": training()}),
    ALIAS,
    ("PATCH", "/models/m", {"json": {"description": "x" * 4000}}),
    ("POST", "/datasets", CSV),
    ("POST", "/models/m/versions/1/reprice", {"json": {"rule": OTHER_RULE}}),
    ("DELETE", "/models/m/versions/1", {}),
    ("POST", "/predict/batch?model=m", CSV),
]


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_service_starts_on_a_full_disk_and_answers_from_what_is_there(cramped, end):
    assert cramped.train(training())["status"] == "succeeded"
    expected = cramped.http.post("/predict", json=ASKED)
    assert expected.status_code == 200
    getattr(cramped, end)()
    if end == "kill":  # as a restore of the files alone would leave it
        (cramped.data_dir / "demur.sqlite3-shm").unlink()
    filler = fill(cramped.data_dir, leave=0)
    cramped.start()
    told = cramped.http.get("/readyz").json()
    assert any("read-only" in note for note in told["notes"]), told
    assert cramped.http.post("/predict", json=ASKED).content == expected.content
    for path in ("/models", "/models/m", "/jobs", "/datasets", "/metrics", "/livez"):
        assert cramped.http.get(path).status_code == 200, path
    for _ in range(2):  # on one connection, which none of them cuts
        for method, path, sent in WRITING:
            answer = cramped.http.request(method, path, **sent)
            assert (answer.status_code, path) == (507, path), answer.text
            assert answer.json()["type"] == "/problems/storage-full"
    log = small_log(cramped)
    assert "Traceback" not in log
    assert "the disk is full" in log

    filler.unlink()
    until(lambda: "notes" not in cramped.http.get("/readyz").json(), cramped.log)
    assert cramped.train(training())["result"]["version"] == 2
    method, path, sent = ALIAS
    assert cramped.http.request(method, path, **sent).status_code == 200
    assert "the database itself is used again" in small_log(cramped)


def small_log(service):
    """Return the log without what the worker and its supervisor say."""
    lines = (service.data_dir / "log").read_text().splitlines()
    return "\n".join(line for line in lines if "worker" not in line)


def test_a_job_outlives_a_disk_that_is_full_for_a_while(cramped):
    job_id = cramped.train(training(), wait=False)["id"]
    filler = fill(cramped.data_dir, leave=0)
    until(lambda: "notes" in cramped.http.get("/readyz").json())
    time.sleep(4)  # time to fail in: a job that does not is none the worse
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
