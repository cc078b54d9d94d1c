"""POST /jobs/score: parts by any worker, each written once, whatever dies meanwhile."""

import hashlib
import json
import os
import signal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.app.score.conftest import GROUP, GROUPS, TRAINING, ask, queued, table
from tests.waiting import until

pytestmark = pytest.mark.own_server

PARQUET = "application/vnd.apache.parquet"


@pytest.fixture(scope="module")
def service(service):
    """It has a model of the name that ``queued`` asks."""
    assert service.train(TRAINING)["status"] == "succeeded"
    return service


@pytest.fixture
def source(places, tmp_path):
    """Two files of Parquet, of five row groups each, and one of CSV."""
    folder = places / tmp_path.name / "in"
    folder.mkdir(parents=True)
    for seed in (1, 2):
        pq.write_table(table(seed), folder / f"{seed}.parquet", row_group_size=GROUP)
    rows = table(3, 100).to_pylist()
    lines = [f"{row['id']},{row['x']},{row['z']}" for row in rows]
    (folder / "3.csv").write_text("\n".join(["id,x,z", *lines]) + "\n")
    (folder / "notes.txt").write_text("no rows")
    return folder


def batch(service, path, kind):
    answer = service.http.post(
        "/predict/batch?model=m",
        content=path.read_bytes(),
        headers={"content-type": kind},
    )
    assert answer.status_code == 200, answer.text
    return answer.content


def check(service, source, target):
    """Every row is there once, in order, and answered as a batch is."""
    manifest = json.loads((target / "manifest.json").read_text())
    parts = manifest["parts"]
    assert [part["part"] for part in parts] == sorted(part["part"] for part in parts)
    assert {path.name for path in target.iterdir()} == {
        "manifest.json",
        *(part["part"] for part in parts),
    }
    for part in parts:
        content = (target / part["part"]).read_bytes()
        assert len(content) == part["bytes"]
        assert hashlib.sha256(content).hexdigest() == part["sha256"]
    for path in sorted(source.glob("*.parquet")):
        of_it = [part for part in parts if part["source"] == path.name]
        groups = [group for part in of_it for group in part["row_groups"]]
        assert groups == list(range(GROUPS))
        made = pa.concat_tables(pq.read_table(target / part["part"]) for part in of_it)
        whole = pq.read_table(pa.BufferReader(batch(service, path, PARQUET)))
        assert made.equals(whole)
    for path in source.glob("*.csv"):
        (part,) = (part for part in parts if part["source"] == path.name)
        assert (target / part["part"]).read_bytes() == batch(service, path, "text/csv")
    assert manifest["rows"] == sum(part["rows"] for part in parts)
    return manifest


def test_every_row_is_decided_once_as_a_batch_decides_it(service, source):
    target = source.parent / "out"
    job = queued(service, source, target)
    assert (job["kind"], job["status"], job["model"]) == ("score", "queued", "m")
    ended = service.await_job(job["id"])
    assert ended["status"] == "succeeded", ended
    manifest = check(service, source, target)
    assert ended["result"] == {
        "model": "m",
        "version": 1,
        "rows": 2 * GROUP * GROUPS + 100,
        "rejected": manifest["rejected"],
        "parts": 7,
        "target": str(target),
    }
    assert 0 < manifest["rejected"] < manifest["rows"]
    assert ended["progress"]["fraction"] == 1.0
    listed = service.http.get("/jobs").json()["jobs"]
    assert {one["kind"] for one in listed} == {"train", "score"}
    assert len(listed) == len({one["id"] for one in listed})
    again = service.await_job(queued(service, source, target)["id"])
    assert again["status"] == "failed"
    assert "holds files already" in again["error"]["detail"]


@pytest.mark.thorough
def test_a_data_set_and_a_single_file_are_sources_too(service, source):
    file = source / "1.parquet"
    kept = service.http.post(
        "/datasets", content=file.read_bytes(), headers={"content-type": PARQUET}
    ).json()
    wanted = [(str(file), None), (None, kept["id"])]
    made = []
    for number, (url, dataset) in enumerate(wanted):
        target = source.parent / f"out-{number}"
        told = (
            {"kind": "url", "url": url} if url else {"kind": "dataset", "id": dataset}
        )
        job = queued(service, source, target, source=told)
        ended = service.await_job(job["id"])
        assert ended["status"] == "succeeded", ended
        parts = sorted(target.glob("part-*.parquet"))
        made.append(pa.concat_tables(map(pq.read_table, parts)))
    assert made[0].column("demur_decision") == made[1].column("demur_decision")
    assert len(made[1]) == GROUP * GROUPS


@pytest.mark.thorough
def test_a_service_killed_in_the_middle_goes_on_with_what_is_left(service, source):
    target = source.parent / "out"
    job = queued(service, source, target, part_rows=1000)
    first = target / "part-00000.parquet"
    until(first.exists, service.log)
    written = first.stat().st_mtime_ns
    service.kill()
    service.start()
    ended = service.await_job(job["id"])
    assert ended["status"] == "succeeded", ended
    check(service, source, target)
    assert first.stat().st_mtime_ns == written, "what was written is not written again"


@pytest.mark.thorough
def test_a_worker_that_is_stopped_gives_the_job_to_the_next(service, source):
    target = source.parent / "out"
    job = queued(service, source, target)
    until(lambda: list(target.glob("part-*")), service.log)
    os.kill(service.worker().pid, signal.SIGTERM)
    ended = service.await_job(job["id"])
    assert ended["status"] == "succeeded", ended
    check(service, source, target)


def large(source):
    pq.write_table(table(9, 400_000), source / "9.parquet", row_group_size=2000)


@pytest.mark.thorough
def test_a_job_is_cancelled_with_all_its_parts(service, source):
    large(source)
    target = source.parent / "out"
    job = queued(service, source, target)
    until(lambda: list(target.glob("part-*")), service.log)
    assert service.http.post(f"/jobs/{job['id']}/cancel").status_code == 202
    ended = service.await_job(job["id"])
    assert ended["status"] == "cancelled"
    assert not (target / "manifest.json").exists()
    held = sorted(target.iterdir())
    next_job = service.train({**TRAINING, "model": "other"})
    assert next_job["status"] == "succeeded"
    assert sorted(target.iterdir()) == held, "no part goes on"


@pytest.mark.thorough
def test_an_input_that_changes_is_not_decided(service, source):
    large(source)
    target = source.parent / "out"
    job = queued(service, source, target)
    until(lambda: list(target.glob("part-*")), service.log)
    replaced = source.parent / "x"
    pq.write_table(table(8, 1000), replaced)
    replaced.replace(source / "9.parquet")
    ended = service.await_job(job["id"])
    assert ended["status"] == "failed"
    assert "9.parquet has changed" in ended["error"]["detail"]
    assert not (target / "manifest.json").exists()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "1.parquet").write_bytes(b"PAR1 no"), "Parquet"),
        (
            lambda folder: pq.write_table(pa.table({"x": [1.0]}), folder / "1.parquet"),
            "column",
        ),
        (lambda folder: (folder / "3.csv").write_text("id,x,z\n1,a,b\n"), "number"),
        (lambda folder: [path.unlink() for path in folder.iterdir()], "no rows"),
    ],
    ids=["damaged", "column", "cell", "empty"],
)
def test_what_cannot_be_decided_is_said(service, source, spoil, said):
    spoil(source)
    target = source.parent / "out"
    ended = service.await_job(queued(service, source, target)["id"])
    assert ended["status"] == "failed", ended
    assert said in json.dumps(ended["error"])
    assert not (target / "manifest.json").exists()


@pytest.mark.parametrize(
    "place",
    [
        "/etc",
        "relative/path",
        "s3://bucket/x",
        "{places}/../elsewhere",
        "{places}/link/x",
        "file:///etc/passwd",
        "{places}/a\0b",
        "{places}/a\nb",
        "{places}/" + "x" * 256,
        "{places}?x=1",
    ],
)
def test_only_places_of_the_settings_are_read_or_written(service, places, place):
    link = places / "link"
    if not link.exists():
        link.symlink_to(places.parent)
    named, fine = place.format(places=places), str(places / "fine")
    for pointer, pair in (("/source/url", (named, fine)), ("/target", (fine, named))):
        answer = ask(service, *pair)
        assert answer.status_code == 422
        assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
        assert named not in answer.text
    assert not Path(fine).exists()


def test_a_target_that_is_a_file_is_told(service, source):
    (source.parent / "taken").write_text("mine")
    for target in (source.parent / "taken", source.parent / "taken" / "below"):
        ended = service.await_job(queued(service, source, target)["id"])
        assert ended["status"] == "failed", ended
        assert "the target" in ended["error"]["detail"]
        assert "unexpected" not in ended["error"]["detail"]
    assert (source.parent / "taken").read_text() == "mine"


def test_a_pointer_is_one_into_the_body_as_sent(service, places):
    answer = ask(service, "", places / "o")
    assert answer.json()["errors"][0]["pointer"] == "/source/url"
    answer = ask(service, places, places / "o", source={"kind": "dataset", "id": "x"})
    assert answer.json()["errors"][0]["pointer"] == "/source/id"


def test_what_does_not_exist_is_told_at_once(service, places):
    assert ask(service, places, places / "o", model="none").status_code == 404
    unknown = {"kind": "dataset", "id": "0" * 36}
    answer = ask(service, places, places / "o", source=unknown)
    assert answer.json()["errors"][0]["pointer"] == "/source/id"
