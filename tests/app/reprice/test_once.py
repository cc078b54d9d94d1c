"""A re-pricing that is sent twice with one Idempotency-Key makes one version."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.app.pima_like import PRICES, patients, predict, train

DEARER = {"costs": {**PRICES, "false_negative": 20.0}, "rule": {"kind": "chow"}}
ROWS = [row[:-1] for row in patients(5, seed=1)]


@pytest.fixture(scope="module")
def model(server):
    train(server, "once")
    return server


def send(server, key, body=DEARER, version=1):
    headers = {"content-type": "application/json", "idempotency-key": key}
    return httpx.post(
        f"{server.url}/models/once/versions/{version}/reprice",
        content=json.dumps(body),
        headers=headers,
        timeout=60,
    )


def newest(server):
    return server.http.get("/models/once").json()["latest_version"]


def test_the_same_key_and_body_get_the_first_answer_again(model):
    first = send(model, "one")
    assert first.status_code == 201, first.text
    made = first.json()["model"]["version"]
    assert newest(model) == made
    again = send(model, "one")
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert newest(model) == made
    assert predict(model, "once", ROWS)["model"]["version"] == made
    assert send(model, "two").json()["model"]["version"] == made + 1

    gone = model.http.delete(f"/models/once/versions/{made}")
    assert gone.status_code == 200, gone.text
    assert send(model, "one").json() == first.json(), "the first answer"


def test_another_body_or_version_under_the_same_key_is_refused(model):
    assert send(model, "mine").status_code == 201
    last = newest(model)
    others = [
        send(model, "mine", {"max_reject_rate": 0.1}),
        send(model, "mine", version=last),
        model.http.post("/train", json=DEARER, headers={"idempotency-key": "mine"}),
    ]
    for answer in others:
        assert answer.status_code == 409, answer.text
        assert answer.json()["type"] == "/problems/idempotency-key-reused"
    assert newest(model) == last


def test_copies_that_arrive_together_make_one_version(model):
    last = newest(model)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: send(model, "many"), range(6)))
    assert {answer.status_code for answer in answers} == {201}
    assert {answer.json()["model"]["version"] for answer in answers} == {last + 1}
    assert newest(model) == last + 1


def test_what_was_refused_keeps_no_key(model):
    assert send(model, "r", {"max_reject_rate": 2}).status_code == 422
    tied = send(model, "r", {**DEARER, "rule": {"kind": "plug-in"}})
    assert tied.json()["type"] == "/problems/conflict", tied.text
    assert send(model, "r", version=4711).status_code == 404
    assert send(model, "r").status_code == 201
    assert send(model, "a b").status_code == 422
