"""POST /jobs/score with reviews: each row's case once, whatever dies meanwhile."""

from collections import Counter

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.score.deciding import decide
from app.score.planning import plan
from app.score.schemas import Source
from app.settings import Settings
from tests.app.score.conftest import TRAINING, ask, queued, table
from tests.waiting import until

pytestmark = pytest.mark.own_server
POLICY = {"audit": {"+1": 0.1, "-1": 0.2}, "second_opinion": None}


@pytest.fixture
def model(service, request):
    """A model of the test's own, so that its cases are."""
    name = request.node.originalname.replace("_", "-")[:60]
    trained = service.train({**TRAINING, "model": name})
    assert trained["status"] == "succeeded"
    assert service.http.put(f"/models/{name}/review", json=POLICY).status_code == 200
    return name


@pytest.fixture
def source(places, tmp_path):
    folder = places / tmp_path.name / "in"
    folder.mkdir(parents=True)
    pq.write_table(table(1, 1500), folder / "1.parquet", row_group_size=500)
    rows = table(3, 200).to_pylist()
    lines = [f"{row['id']},{row['x']},{row['z']}" for row in rows]
    (folder / "3.csv").write_text("\n".join(["id,x,z", *lines]) + "\n")
    return folder


def cases_of(service, model):
    found, after = [], None
    while True:
        query = {"model": model, "limit": 200, **({"after": after} if after else {})}
        page = service.http.get("/cases", params=query).json()
        found += page["cases"]
        after = page.get("next")
        if not after:
            return found


def decided(target):
    """Return the rows of all parts, each with its part and number there."""
    rows = []
    for part in sorted(target.glob("part-*")):
        made = (
            pq.read_table(part) if part.suffix == ".parquet" else pa.csv.read_csv(part)
        ).to_pylist()
        rows += [(part.stem, i, row) for i, row in enumerate(made)]
    return rows


def numbered(job):
    return lambda part, i, _: f"{job['id']}/{part}/{i}"


def named(_, __, row):
    return row["id"]


def check(service, model, target, name_of):
    """Every rejected row has the one case of its name; the rest are audits."""
    cases = cases_of(service, model)
    by_id = {case["id"]: case for case in cases}
    assert len(by_id) == len(cases)
    assert max(Counter(case["reference"] for case in cases).values()) == 1
    rows = decided(target)
    rejected = {
        name_of(part, i, row): row["demur_case"]
        for part, i, row in rows
        if row["demur_decision"] == "reject"
    }
    assert rejected
    for name, case in rejected.items():
        assert by_id.pop(case)["reference"] == name
    assert {case["reason"] for case in by_id.values()} == {"audit"}
    accepted = {
        name_of(part, i, row)
        for part, i, row in rows
        if row["demur_decision"] != "reject"
    }
    assert {case["reference"] for case in by_id.values()} < accepted
    assert not any(
        row["demur_case"] for _, _, row in rows if row["demur_decision"] != "reject"
    )


def test_rejected_rows_become_cases(service, source, model):
    target = source.parent / "out"
    job = queued(service, source, target, model=model, review=True)
    ended = service.await_job(job["id"])
    assert ended["status"] == "succeeded", ended
    check(service, model, target, numbered(job))
    second = source.parent / "second"
    again = queued(service, source, second, model=model, review=True, reference="id")
    assert service.await_job(again["id"])["status"] == "succeeded"
    before = len(cases_of(service, model))
    third = source.parent / "third"
    last = queued(service, source, third, model=model, review=True, reference="id")
    assert service.await_job(last["id"])["status"] == "succeeded"
    assert len(cases_of(service, model)) == before, "open cases are named, not doubled"
    for name in ("part-00000.parquet", "part-00002.csv"):
        assert (second / name).read_bytes() == (third / name).read_bytes()


def test_what_is_asked_of_reviews_makes_sense(service, source, model):
    target = source.parent / "out"
    assert service.train({**TRAINING, "model": "alone"})["status"] == "succeeded"
    for changes, pointer in (
        ({"model": "alone", "review": True}, "/review"),
        ({"model": model, "reference": "id"}, "/reference"),
    ):
        answer = ask(service, source, target, **changes)
        assert answer.status_code == 422
        assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
    job = queued(service, source, target, model=model, review=True, reference="none")
    ended = service.await_job(job["id"])
    assert ended["status"] == "failed"
    assert cases_of(service, model) == []


@pytest.mark.thorough
def test_a_second_attempt_opens_no_case_anew(service, source, model, places):
    """Also where the first one's is closed, and the part came out wrong."""
    settings = Settings(data_dir=service.data_dir, score_places=(str(places),))
    version = service.http.get(f"/models/{model}/versions/1").json()
    job = "01234567-89ab-4cde-8f01-23456789abcd"
    target = source.parent / "out"
    told = Source(
        model, 1, version["artifact_sha256"], None, str(source), str(target), 1000
    )

    def silent(fraction, message):
        return True

    shards = plan(settings, told, silent)
    part = Source(
        model, 1, version["artifact_sha256"], None, str(source), str(target), 1000,
        review=True, reference="id", job=job, shard=shards[0],
    )  # fmt: skip
    first = decide(settings, part, silent)
    cases = cases_of(service, model)
    closed = cases[0]["id"]
    answer = service.http.post(f"/cases/{closed}/withdraw")
    assert answer.status_code == 200, answer.text
    made = target / first["part"]
    spoilt = bytearray(made.read_bytes())
    spoilt[100] ^= 1
    made.write_bytes(spoilt)
    assert decide(settings, part, silent) == first
    ids = Counter(case["id"] for case in cases_of(service, model))
    assert ids == Counter(case["id"] for case in cases)
    check(service, model, target, named)
    written = made.stat().st_mtime_ns
    assert decide(settings, part, silent) == first
    assert made.stat().st_mtime_ns == written, "the same bytes are not written again"


@pytest.mark.thorough
def test_a_killed_worker_leaves_each_case_once(service, source, model):
    pq.write_table(table(2, 8_000), source / "2.parquet", row_group_size=2000)
    target = source.parent / "out"
    job = queued(service, source, target, model=model, review=True)
    killed = 0
    while killed < 3:
        known = len(cases_of(service, model))

        def more(known=known):
            return len(cases_of(service, model)) > known

        until(more, service.log)
        if service.job(job["id"])["status"] in {"succeeded", "failed"}:
            break
        service.kill()
        service.start()
        killed += 1
    assert killed
    ended = service.await_job(job["id"])
    assert ended["status"] == "succeeded", ended
    check(service, model, target, numbered(job))


@pytest.mark.thorough
def test_reviews_switched_off_meanwhile_are_said(service, source, model):
    """Parts with and without cases would not be one answer."""
    target = source.parent / "out"
    with httpx.Client(base_url=service.url) as http:
        first = service.train({**TRAINING, "model": "before"}, wait=False)
        job = queued(service, source, target, model=model, review=True)
        put = http.put(f"/models/{model}/review", json={**POLICY, "enabled": False})
        assert put.status_code == 200
    service.await_job(first["id"])
    ended = service.await_job(job["id"])
    assert ended["status"] == "failed"
    assert "switched off" in ended["error"]["detail"]
