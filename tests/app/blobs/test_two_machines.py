"""Two machines without a common folder: one database, one object store."""

import subprocess
from datetime import timedelta

import pytest

from app.blobs.interface import Remote
from app.blobs.opening import open_blobs
from app.db import migrate
from app.db.session import open_database
from app.journal.files import log_files
from tests.app.blobs.s3_server import KEYS
from tests.app.operations.conftest import demur
from tests.app.trainings import training
from tests.waiting import until

__all__ = ["demur"]

pytestmark = [pytest.mark.postgres, pytest.mark.own_server]

ROWS = [[float(k), k % 7, "yes" if k % 3 else "no"] for k in range(90)]
CSV = "x,z,y\n" + "\n".join(",".join(map(str, row)) for row in ROWS)
ASKED = {"model": "m", "instances": [{"x": 3.5, "z": 1}, {"x": 40.0, "z": 2}]}
OUT = (503, "SlowDown")


def training_on(dataset):
    return training(data={"kind": "dataset", "id": dataset})


@pytest.fixture
def settings(postgres_url, failing):
    opened = open_database(postgres_url)
    migrate.upgrade(opened)
    opened.close()
    return {
        **KEYS,
        "DEMUR_DATABASE_URL": postgres_url,
        "DEMUR_STORE": failing.url,
        "DEMUR_PREDICTION_LOG": "best-effort",
    }


def upload(service):
    headers = {"content-type": "text/csv"}
    kept = service.http.post("/datasets", content=CSV, headers=headers)
    assert kept.status_code == 201, kept.text
    return kept.json()["id"]


@pytest.mark.thorough
def test_one_uploads_another_trains_and_both_answer(
    settings, start_service, failing, proxy
):
    api = start_service("--no-worker", **settings)
    other = start_service(**settings)
    dataset = upload(api)
    held = [found.name for found in open_blobs(failing / "datasets").list()]
    assert [name.partition(".")[0] for name in held] == [dataset]
    detail = other.http.get(f"/datasets/{dataset}", params={"target": "y"})
    assert detail.json()["rows"] == len(ROWS)
    job = api.train(training_on(dataset))
    assert job["status"] == "succeeded", job
    answers = [one.http.post("/predict", json=ASKED) for one in (api, other)]
    assert [one.status_code for one in answers] == [200, 200], answers[0].text
    assert answers[0].json() == answers[1].json()
    batch = {"content": CSV, "headers": {"content-type": "text/csv"}}
    batches = [one.http.post("/predict/batch?model=m", **batch) for one in (api, other)]
    assert [one.status_code for one in batches] == [200, 200], batches[0].text
    assert batches[0].text == batches[1].text
    _outage(api, other, proxy, dataset)
    assert api.http.delete(f"/datasets/{dataset}").status_code == 200
    assert list(open_blobs(failing / "datasets").list()) == []
    assert other.http.post("/predict", json=ASKED).status_code == 200
    for one in (api, other):
        assert one.stop() == 0
    days = {day for day, _ in log_files(failing / "predictions")}
    assert days, "the log of both is in the store"
    assert max(days) - min(days) <= timedelta(days=1)
    for one in (api, other):
        assert list((one.data_dir / "predictions").glob("*.jsonl")) == []


def _outage(api, other, proxy, dataset):
    """What is in memory answers on; a training waits for the store to return."""
    waiting = []

    def fails(asked):
        if "artifacts" not in asked.path:
            return None
        if asked.method in {"PUT", "POST"}:
            waiting.append(asked)
        return OUT

    proxy.fails = fails
    job = api.train({**training_on(dataset), "model": "late"}, wait=False)
    until(lambda: len(waiting) > 3, other.log)
    proxy.break_down(OUT)
    assert api.http.post("/predict", json=ASKED).status_code == 200
    ready = api.http.get("/readyz")
    assert ready.status_code == 200
    assert "object store does not answer" in ready.json()["notes"][0]
    refused = api.http.post(
        "/datasets", content=CSV, headers={"content-type": "text/csv"}
    )
    assert refused.status_code == 503
    assert "store" in refused.json()["detail"]
    assert api.job(job["id"])["status"] == "running"
    proxy.heal()
    assert api.await_job(job["id"])["status"] == "succeeded"


def test_a_store_that_cannot_be_used_is_said_at_the_start(
    settings, start_service, proxy, failing
):
    first = start_service("--no-worker", **settings)
    first.stop()
    proxy.break_down((403, "AccessDenied"))
    for command in ("serve", "worker"):
        arguments = ["--port", "0", "--no-worker"] if command == "serve" else []
        tried = subprocess.Popen(
            [*first.command, command, *arguments],
            env=first._environment(),
            cwd=first.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = next(line for line in tried.stderr if "DEMUR_STORE" in line)
        if command == "worker":
            tried.terminate()  # it waits for the store
        assert tried.wait(120) == (1 if command == "serve" else 0)
        tried.stderr.close()
        assert f"{failing.shown} cannot be reached" in line
        assert not any(secret in line for secret in KEYS.values() if "secret" in secret)


@pytest.mark.thorough
def test_a_store_of_another_database_is_refused(settings, start_service, tmp_path):
    first = start_service(**settings)
    first.train(training_on(upload(first)))
    embedded = {k: v for k, v in settings.items() if k != "DEMUR_DATABASE_URL"}
    tried = subprocess.run(
        [*first.command, "serve", "--port", "0", "--no-worker"],
        env={
            **first._environment(),
            **embedded,
            "DEMUR_DATA_DIR": str(tmp_path / "b"),
            "DEMUR_DATABASE_URL": "",
        },
        cwd=first.folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert tried.returncode == 1
    assert "holds models of another database" in tried.stderr


@pytest.mark.thorough
def test_a_backup_of_an_object_store_comes_back_to_another(
    s3_server, start_service, demur, keys, tmp_path
):
    url = s3_server.url(f"backup-{tmp_path.name}")
    service = start_service(**KEYS, DEMUR_STORE=url)
    service.train(training_on(upload(service)))
    answer = service.http.post("/predict", json=ASKED).json()
    file = tmp_path / "backup.tar"
    made = demur("backup", file, data_dir=service.data_dir, DEMUR_STORE=url)
    assert made.returncode == 0, made.stderr
    again = demur("restore", file, data_dir=tmp_path / "c", DEMUR_STORE=url)
    assert "store is not empty" in again.stderr
    elsewhere = s3_server.url(f"restored-{tmp_path.name}")
    second = start_service(**KEYS, DEMUR_STORE=elsewhere)
    second.stop()
    put = demur(
        "restore", "--force", file, data_dir=second.data_dir, DEMUR_STORE=elsewhere
    )
    assert put.returncode == 0, put.stderr
    second.start()
    assert second.http.post("/predict", json=ASKED).json() == answer
    names = []
    for one in (url, elsewhere):
        kept = open_blobs(Remote(one, "", 1) / "datasets").list()
        names.append(sorted(found.name for found in kept))
    assert names[0] == names[1]
    assert len(names[0]) == 1
