"""POST /train as a job is asked for: once, how urgent, how long, and not too many."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest


def post(service, body, key=None):
    headers = {"content-type": "application/json"}
    if key is not None:
        headers["idempotency-key"] = key
    return service.http.post("/train", content=json.dumps(body), headers=headers)


def test_the_same_key_and_body_get_the_first_answer_again(idle, asked):
    first = post(idle, asked(), "one")
    again = post(idle, asked(), "one")
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.content == first.content
    assert again.headers["location"] == first.headers["location"]
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    job_id = first.json()["id"]
    idle.http.post(f"/jobs/{job_id}/cancel")
    assert post(idle, asked(), "one").content == first.content, "the first answer"
    assert idle.job(job_id)["status"] == "cancelled"

    other = post(idle, asked(model="n"), "one")
    assert other.status_code == 409
    assert other.json()["type"] == "/problems/idempotency-key-reused"
    assert post(idle, asked(), "two").json()["id"] != job_id


def test_copies_that_arrive_together_are_one_job(idle, asked):
    body = json.dumps(asked())

    def send(_):
        headers = {"content-type": "application/json", "idempotency-key": "many"}
        return httpx.post(f"{idle.url}/train", content=body, headers=headers)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(8)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert len(idle.http.get("/jobs?status=queued").json()["jobs"]) == 1


def test_what_was_refused_keeps_no_key(idle, asked):
    assert post(idle, asked(trainer={"kind": "none"}), "r").status_code == 422
    assert post(idle, asked(), "r").status_code == 202


@pytest.mark.parametrize("key", ["", "k" * 256, "a b"])
def test_a_key_is_a_short_token(idle, asked, key):
    answer = post(idle, asked(), key)
    assert answer.status_code == 422
    assert "dempotency" in answer.json()["errors"][0]["pointer"]


def test_the_queue_has_an_end_and_says_when_to_come_back(idle, asked):
    for _ in range(6):
        assert post(idle, asked()).status_code == 202
    full = post(idle, asked(), "late")
    assert full.status_code == 503
    assert full.json()["type"] == "/problems/queue-full"
    assert "DEMUR_MAX_QUEUED_JOBS" in full.json()["detail"]
    assert int(full.headers["retry-after"]) > 0
    waiting = idle.http.get("/jobs?status=queued").json()["jobs"]
    assert len(waiting) == 6
    idle.http.post(f"/jobs/{waiting[0]['id']}/cancel")
    assert post(idle, asked(), "late").status_code == 202, "its key was not taken"


def test_priority_and_time_are_shown_and_bounded(idle, asked):
    job = post(idle, asked(priority=7, max_seconds=30)).json()
    assert (job["priority"], job["max_seconds"]) == (7, 30)
    for change, pointer in (
        ({"priority": 101}, "/priority"),
        ({"priority": 0.5}, "/priority"),
        ({"max_seconds": 0}, "/max_seconds"),
        ({"max_seconds": 3601}, "/max_seconds"),
    ):
        refused = post(idle, asked(**change))
        assert refused.status_code == 422, change
        assert refused.json()["errors"][0]["pointer"] == pointer
    assert "DEMUR_MAX_JOB_SECONDS" in refused.json()["detail"]
