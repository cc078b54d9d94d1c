"""Very large requests: another process, the same answers, a bounded queue."""

import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from app.predict import pool
from app.predict.endpoint import LARGE_BYTES
from tests.app.predict.conftest import COLUMNS, served, training_rows
from tests.app.predict.refused import refused

ROWS = training_rows(300, seed=5)
INSTANCES = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
LARGE = INSTANCES * 50


@pytest.fixture(scope="module")
def service(serve):
    running, registry = serve()
    registry.add("pima", served())
    return running, registry


def _children():
    return [
        child
        for child in psutil.Process().children()
        if "spawn_main" in " ".join(child.cmdline())
    ]


def test_large_requests_get_the_answers_of_small_ones(service):
    running, registry = service
    body = json.dumps({"model": "pima", "instances": LARGE})
    assert len(body) > LARGE_BYTES
    large = running.http.post("/predict", json={"model": "pima", "instances": LARGE})
    small = running.http.post(
        "/predict", json={"model": "pima", "instances": INSTANCES}
    )
    assert large.status_code == 200
    assert large.json()["predictions"] == small.json()["predictions"] * 50
    assert large.json()["summary"]["n"] == len(LARGE)
    # A new version is seen at once, and counted here although answered there.
    registry.add("pima", served(seed=3))
    large = running.http.post("/predict", json={"model": "pima", "instances": LARGE})
    assert large.json()["model"]["version"] == 2
    counted = running.http.get("/metrics").text
    assert 'demur_predictions_total{decision="-1",model="pima"' in counted


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"model": "nobody"}, 404),
        ({"model": "a b"}, 404),
        ({"extra": 1}, 422),
    ],
)
def test_large_requests_are_refused_like_small_ones(service, change, status):
    running, _ = service
    body = {"model": "pima", "instances": LARGE, **change}
    answer = running.http.post("/predict", json=body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_faults_of_a_large_request_name_their_rows(service):
    running, _ = service
    rows = [dict(row) for row in LARGE]
    rows[12_345]["glucose"] = "secret"
    answer = running.http.post("/predict", json={"model": "pima", "instances": rows})
    assert answer.status_code == 422
    assert [fault["row"] for fault in answer.json()["errors"]] == [12_345]
    assert "secret" not in answer.text


def test_a_key_that_stands_twice_in_a_large_request_is_named(service):
    running, _ = service
    body = json.dumps({"model": "pima", "instances": LARGE}).encode()
    twice = body.replace(b'"glucose":', b'"glucose": 1.5, "glucose":', 1)
    (fault,) = refused(running.http, twice, 422)["errors"]
    assert fault["pointer"] == "/instances/0/glucose"


def test_a_large_body_that_is_no_json(service):
    running, _ = service
    content = b"{" + b" " * LARGE_BYTES + b"]"
    answer = running.http.post(
        "/predict", content=content, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400


def test_too_many_at_once_are_told_to_come_back(service, monkeypatch):
    running, _ = service
    monkeypatch.setattr(pool, "MOST_WAITING", 1)
    content = json.dumps({"model": "pima", "instances": LARGE}).encode()
    headers = {"content-type": "application/json"}

    def post(_):
        return running.http.post("/predict", content=content, headers=headers)

    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(post, range(6)))
    statuses = sorted(answer.status_code for answer in answers)
    assert set(statuses) == {200, 503}
    refused = next(answer for answer in answers if answer.status_code == 503)
    assert int(refused.headers["retry-after"]) >= 1
    assert post(0).status_code == 200


def test_a_killed_process_fails_its_request_and_is_replaced(service):
    running, _ = service
    content = json.dumps({"model": "pima", "instances": LARGE * 3}).encode()
    headers = {"content-type": "application/json"}

    def post():
        return running.http.post("/predict", content=content, headers=headers)

    assert post().status_code == 200
    (victim,) = _children()
    with ThreadPoolExecutor(1) as threads:
        victim.suspend()  # so that the request is under way when the process dies
        answer = threads.submit(post)
        time.sleep(0.5)
        victim.send_signal(signal.SIGKILL)
        assert answer.result().status_code == 503
    assert post().status_code == 200
    assert [child.pid for child in _children()] != [victim.pid]


def test_the_process_ends_with_the_server(serve):
    running, registry = serve()
    registry.add("pima", served())
    before = {child.pid for child in _children()}
    body = {"model": "pima", "instances": LARGE}
    assert running.http.post("/predict", json=body).status_code == 200
    (mine,) = [child for child in _children() if child.pid not in before]
    running.stop()
    _, alive = psutil.wait_procs([mine], timeout=10)
    assert not alive
