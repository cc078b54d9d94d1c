"""The memory shared with the process for large requests, and what does not fit in."""

import asyncio
import json
import multiprocessing

import pytest

from app.predict import arena
from app.predict.arena import Arena
from app.predict.bulk import Limits
from app.predict.endpoint import LARGE_BYTES
from app.predict.pool import BulkPool
from app.settings import Settings
from tests.app.predict.conftest import COLUMNS, Registry, served, training_rows

ROWS = training_rows(300, seed=5)
INSTANCES = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
LARGE = INSTANCES * 50


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(arena, "BODY_BYTES", 100)
    monkeypatch.setattr(arena, "ANSWER_BYTES", 10)
    return Arena(multiprocessing.get_context("spawn"))


def test_what_is_put_in_comes_out(small):
    assert small.put_body(b"x" * 100)
    assert small.put_answer([b"12", b"", b"345", b"67890"])
    assert small.body(100) == b"x" * 100
    assert small.answer(10) == b"1234567890"
    assert small.answer(3) == b"123"


def test_what_is_too_long_changes_nothing(small):
    assert small.put_answer([b"1234567890"])
    assert not small.put_answer([b"abcdef", b"ghijk"])
    assert not small.put_body(b"x" * 101)
    assert small.answer(10) == b"1234567890"


@pytest.fixture(scope="module")
def http(serve):
    running, registry = serve()
    registry.add("pima", served())
    return running.http


@pytest.mark.parametrize(
    ("times", "body_fits", "answer_fits"),
    [(1, True, True), (3, True, False), (4, False, False)],
)
def test_answers_are_the_same_through_memory_and_pipe(
    http, times, body_fits, answer_fits
):
    rows = LARGE * times
    content = json.dumps({"model": "pima", "instances": rows}).encode()
    answer = http.post(
        "/predict", content=content, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 200
    assert (len(content) <= arena.BODY_BYTES) == body_fits
    assert (len(answer.content) <= arena.ANSWER_BYTES) == answer_fits
    small = http.post("/predict", json={"model": "pima", "instances": INSTANCES})
    assert answer.json()["predictions"] == small.json()["predictions"] * 50 * times


def test_a_request_that_is_given_up_leaves_the_next_one_alone(tmp_path):
    settings = Settings(data_dir=tmp_path, _env_file=None)
    registry = Registry(settings)
    registry.add("pima", served())

    def body(rows):
        return json.dumps({"model": "pima", "instances": rows}).encode()

    async def run():
        pool = BulkPool(settings.database, settings.artifacts_dir, Limits(32, 10**6))
        try:
            first = await pool.answer(body(LARGE))
            given_up = asyncio.create_task(pool.answer(body(LARGE[::-1])))
            while not (pool._under_way.running() or given_up.done()):  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.001)
            given_up.cancel()
            again = await pool.answer(body(LARGE))
            last = await pool.answer(body(LARGE))
        finally:
            pool.close()
        return first, again, last

    first, again, last = asyncio.run(run())
    registry.database.close()
    assert first.body == again.body == last.body
    assert json.loads(first.body)["summary"]["n"] == len(LARGE)


@pytest.mark.parametrize("columns", ["refuse", "ignore"])
def test_a_large_body_that_is_nested_too_deeply(http, columns):
    deep = json.loads("[" * 40 + "]" * 40)
    rows = [*LARGE, {**LARGE[0], "more": deep}]
    body = {"model": "pima", "instances": rows, "extra_columns": columns}
    answer = http.post("/predict", json=body)
    assert answer.status_code == 400
    assert "DEMUR_MAX_JSON_DEPTH" in answer.json()["detail"]


@pytest.fixture(scope="module")
def few(serve):
    running, registry = serve(max_predict_rows=2000)
    registry.add("pima", served())
    return running.http


@pytest.mark.parametrize("kind", ["instances", "data"])
@pytest.mark.parametrize("padding", [0, 2 * LARGE_BYTES], ids=["here", "beside"])
def test_more_rows_than_a_request_may_have(few, kind, padding):
    """In parts, in the other process; as objects and as lists."""

    def ask(n):
        rows = (ROWS * 7)[:n]
        body = {"model": "pima"}
        if kind == "instances":
            body[kind] = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        else:
            body[kind] = {"columns": COLUMNS, "rows": rows}
        content = json.dumps(body).encode() + b" " * padding
        headers = {"content-type": "application/json"}
        return few.post("/predict", content=content, headers=headers)

    assert ask(2000).status_code == 200
    refused = ask(2001)
    assert refused.status_code == 413
    problem = refused.json()
    assert problem["type"] == "/problems/too-many-rows"
    for said in ("2001 rows", "2000", "DEMUR_MAX_PREDICT_ROWS", "/predict/batch"):
        assert said in problem["detail"]
    # it is no fault of the connection
    assert "connection" not in refused.headers


def test_more_rows_than_a_request_may_have_in_a_small_body(serve):
    running, registry = serve(max_predict_rows=1)
    registry.add("pima", served())
    body = {"model": "pima", "instances": INSTANCES[:2]}
    assert running.http.post("/predict", json=body).status_code == 413
    body["instances"] = INSTANCES[:1]
    assert running.http.post("/predict", json=body).status_code == 200
