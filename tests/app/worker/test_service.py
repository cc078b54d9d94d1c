"""The whole service, its real trainings, and what kills it."""

import random
import signal
import threading

import httpx
import psutil
import pytest

from app.db import migrate
from app.db.session import open_database
from tests.waiting import until

pytestmark = pytest.mark.thorough

COSTS = {
    "false_positive": 1,
    "false_negative": 1,
    "reject_positive": 0.3,
    "reject_negative": 0.3,
}


def request(model, *, rows=120, noise=0.3, seed=0, **trainer):
    """Return a training on two gaussian columns."""
    draw = random.Random(seed)
    table = []
    for _ in range(rows):
        a, b = draw.gauss(0, 1), draw.gauss(0, 1)
        table.append([a, b, "yes" if a + b + draw.gauss(0, noise) > 0 else "no"])
    return {
        "model": model,
        "trainer": {"kind": "double-hinge-svm", **trainer},
        "costs": COSTS,
        "rule": {"kind": "plug-in"},
        "data": {"kind": "inline", "columns": ["a", "b", "y"], "rows": table},
        "target": {"column": "y", "positive": "yes"},
    }


def endless(model, seed=0):
    """Return a training that takes much longer than its test."""
    return request(model, rows=6000, noise=50.0, seed=seed, C=1e4, tol=1e-9)


ROWS = [{"a": k / 10, "b": 0.05 * k} for k in range(-20, 21)]


def predict(http, model):
    answer = http.post("/predict", json={"model": model, "instances": ROWS})
    assert answer.status_code == 200, answer.text
    return answer.json()


def the_busy_one(service):
    """Return the training that computes; a process kept ready beside it does not."""
    before = {p: p.cpu_times().user for p in service.trainers()}

    def alone():
        spent = sorted(
            (p.cpu_times().user - before.setdefault(p, p.cpu_times().user), p.pid, p)
            for p in service.trainers()
        )
        if sum(used > 0.3 for used, *_ in spent) > 1:  # one was still being made ready
            before.clear()
        elif spent and spent[-1][0] > 1:
            return spent[-1][2]
        return None

    return until(alone)


# Queue and claims on PostgreSQL have their own tests; killing it all there is soaked.
@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.slow]),
    ]
)
def service(request, start_service):
    """A service of the test's own, on each database."""
    if request.param == "sqlite":
        return start_service()
    url = request.getfixturevalue("postgres_url")
    database = open_database(url)
    migrate.upgrade(database)  # the service does so by itself for SQLite only
    database.close()
    return start_service(DEMUR_DATABASE_URL=url)


def test_train_predict_kill_everything_and_predict_the_same(service):
    job = service.train(request("m"))
    assert job["status"] == "succeeded", job
    assert job["result"] == {"model": "m", "version": 1}
    before = predict(service.http, "m")
    running = service.train(endless("late"), wait=False)["id"]
    service.await_job(running, "running")
    service.kill()
    service.start()
    assert predict(service.http, "m") == before, "bit for bit"
    until(lambda: service.job(running)["attempts"] == 2)
    service.await_job(running, "running")
    assert service.http.get("/models/late").status_code == 404
    answer = service.http.post(f"/jobs/{running}/cancel")
    assert answer.status_code == 202
    assert service.await_job(running)["status"] == "cancelled"
    names = [m["name"] for m in service.http.get("/models").json()["models"]]
    assert names == ["m"]
    files = list((service.data_dir / "artifacts").iterdir())
    assert len(files) == 1, "nothing half-written is left"


def test_each_process_may_be_killed_alone(service):
    victim = service.train(endless("m"), wait=False)["id"]
    service.await_job(victim, "running")
    the_busy_one(service).send_signal(signal.SIGKILL)
    job = service.await_job(victim)
    assert job["status"] == "failed"
    assert job["error"]["type"] == "/problems/training-crashed"
    assert service.http.get("/readyz").status_code == 200

    interrupted = service.train(endless("m"), wait=False)["id"]
    service.await_job(interrupted, "running")
    below = service.trainers()
    service.worker().send_signal(signal.SIGKILL)
    _, alive = psutil.wait_procs(below, timeout=30)
    assert alive == [], "trainings die with their worker"
    until(lambda: service.job(interrupted)["attempts"] == 2)
    service.http.post(f"/jobs/{interrupted}/cancel")
    service.await_job(interrupted)
    assert service.train(request("m"))["result"] == {"model": "m", "version": 1}


def test_the_end_of_the_api_is_the_end_of_all(start_service):
    service = start_service()
    job_id = service.train(endless("m"), wait=False)["id"]
    service.await_job(job_id, "running")
    below = service.descendants()
    assert len(below) >= 2
    service.process.send_signal(signal.SIGKILL)
    _, alive = psutil.wait_procs(below, timeout=30)
    assert alive == []
    service.ended()
    service.start()
    assert service.await_job(job_id, "running")["id"] == job_id


def test_a_graceful_stop_loses_nothing(start_service):
    service = start_service()
    job_id = service.train(endless("m"), wait=False)["id"]
    service.await_job(job_id, "running")
    below = service.descendants()
    assert service.stop() == 0
    _, alive = psutil.wait_procs(below, timeout=30)
    assert alive == []
    service.start()
    assert service.await_job(job_id, "running")["attempts"] == 1


def test_two_trainings_and_many_predictions_at_once_meet_no_lock(start_service):
    service = start_service(DEMUR_JOB_CONCURRENCY="2")
    assert service.train(request("m"))["status"] == "succeeded"
    expected = predict(service.http, "m:1")
    stop, failures, answered = threading.Event(), [], [0]

    def ask():
        with httpx.Client(base_url=service.url, timeout=30) as http:
            while not stop.is_set():
                answer = http.post("/predict", json={"model": "m:1", "instances": ROWS})
                if answer.status_code != 200 or answer.json() != expected:
                    failures.append(answer.text)
                newest = http.post("/predict", json={"model": "m", "instances": ROWS})
                if newest.status_code != 200:
                    failures.append(newest.text)
                answered[0] += 2

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    jobs = [
        service.train(request("m", rows=200, seed=seed), wait=False)["id"]
        for seed in range(1, 4)
    ]
    ended = []
    for job_id in jobs:
        job = service.await_job(job_id)
        ended.append(job)
        version = predict(service.http, "m")["model"]["version"]
        assert version >= job["result"]["version"], "one reads one's own writes"
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert answered[0] > 50
    assert sorted(job["result"]["version"] for job in ended) == [2, 3, 4]
    assert "locked" not in service.log()


def test_the_api_process_imports_neither_numba_nor_scikit_learn(server):
    maps = psutil.Process(server.process.pid).memory_maps()
    loaded = " ".join(m.path for m in maps)
    for name in ("numba", "llvmlite", "sklearn"):
        assert name not in loaded


def test_a_flipped_byte_is_refused_and_nothing_else_is(server):
    service = server
    service.train(request("good", seed=1))
    service.train(request("bad", seed=2))
    sha256 = service.http.get("/models/bad").json()["latest"]["artifact_sha256"]
    path = service.data_dir / "artifacts" / f"{sha256}.joblib"
    whole = path.read_bytes()
    content = bytearray(whole)
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    answer = service.http.post("/predict", json={"model": "bad", "instances": ROWS})
    assert answer.status_code == 500
    assert answer.json()["type"] == "/problems/corrupt-artifact"
    predict(service.http, "good")
    path.write_bytes(whole)  # others use this service after us
    predict(service.http, "bad")
