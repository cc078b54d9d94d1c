"""Errors as problem details: complete, unpicklable nowhere, never an echo."""

import asyncio
import inspect
import math
import pickle

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, OperationalError

from app import errors
from app.db.session import open_database
from app.errors import ApiError, FieldError
from app.strict import StrictModel
from app.web import problems
from app.web.failures import translate
from app.web.validation import pointer

KINDS = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, ApiError)
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_is_a_problem_of_its_own_and_crosses_processes(kind):
    place = FieldError("/rows/3", "no number", 3, "a")
    error = kind("this case", [place])
    assert error.problem() == {
        "type": f"/problems/{kind.slug}",
        "title": kind.title,
        "status": kind.status,
        "detail": "this case",
        "errors": [place.to_json()],
    }
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert again.problem() == error.problem()
    assert kind.__name__ in errors.__doc__, "the tree at the top shows it"


def test_slugs_are_unique_and_all_public():
    assert len({kind.slug for kind in KINDS}) == len(KINDS)
    assert {kind.__name__ for kind in KINDS} | {"FieldError"} == set(errors.__all__)


def test_the_unknown_members_of_a_field_error_are_left_out():
    assert FieldError("/a", "b").to_json() == {"pointer": "/a", "detail": "b"}
    assert FieldError("/a", "b", 0, "c").to_json()["row"] == 0


def test_a_pointer_is_escaped_and_short():
    assert pointer(["a/b", "c~d", 3]) == "/a~1b/c~0d/3"
    assert len(pointer(["x" * 10_000])) < 100


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OSError(28, "No space left on device"), 507),
        (OSError(30, "Read-only file system"), 507),
        (OSError(13, "Permission denied"), 500),
        (OperationalError("x", {}, Exception("database or disk is full")), 507),
        (OperationalError("x", {}, Exception("connection refused")), 503),
        (RuntimeError("patient 4711"), 500),
        (errors.UnknownJobError("none"), 404),
    ],
    ids=repr,
)
def test_failures_of_the_ground_are_told_without_their_text(error, status):
    told = translate(error)
    assert told.status == status
    assert "4711" not in told.detail


@pytest.mark.parametrize("statement", ["SELECT 1 FROM jobs", "SELECT colour FROM told"])
def test_tables_of_another_version_are_told_with_the_way_out(database_url, statement):
    """Neither "failed" nor "try again": it stays so until somebody migrates."""
    database = open_database(database_url)
    with database.engine.begin() as connection:
        connection.execute(text("CREATE TABLE told (id INTEGER)"))
    with (
        pytest.raises(DBAPIError) as caught,
        database.engine.connect() as connection,
    ):
        connection.execute(text(statement))
    database.close()
    told = translate(caught.value)
    assert (told.status, told.slug) == (503, "not-ready")
    assert "demur migrate" in told.detail


class Part(StrictModel):
    value: float
    count: int = 1


class Body(StrictModel):
    parts: list[Part]


@pytest.fixture(scope="module")
def client():
    app = FastAPI()
    problems.install(app)

    @app.post("/body")
    def take(body: Body) -> int:
        return len(body.parts)

    @app.get("/broken")
    def broken() -> int:
        text = "patient 4711"
        raise RuntimeError(text)

    return Client(app)


class Client:
    """Ask an application in this process."""

    def __init__(self, app):
        self.transport = httpx.ASGITransport(app, raise_app_exceptions=False)

    def request(self, method, path, **body):
        async def ask():
            async with httpx.AsyncClient(
                transport=self.transport, base_url="http://localhost"
            ) as client:
                return await client.request(method, path, **body)

        return asyncio.run(ask())


VALUE = "VALUE-4711"
HEADERS = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('{"parts": [{"value": NaN}]}', 422),
        ('{"parts": [{"value": Infinity}]}', 422),
        ('{"parts": [{"value": -Infinity}]}', 422),
        ('{"parts": [{"value": 1e999}]}', 422),
        ('{"parts": [{"value": "1"}]}', 422),
        ('{"parts": [{"value": true}]}', 422),
        ('{"parts": [{"value": 1, "count": 1.5}]}', 422),
        ('{"parts": [{"value": 1, "VALU": 1}]}', 422),
        (f'{{"parts": [{{"value": "{VALUE}"}}]}}', 422),
        (f'{{"parts": "{VALUE}"}}', 422),
        (f'{{"{VALUE}": ', 400),
        ("", 422),
        ("null", 422),
        ("[]", 422),
        ("NaN", 422),
        (f'{{"parts": [{{"value": {"9" * 5000}}}]}}', 400),
        ("[" * 100_000, 400),
        ('{"a":' * 100_000, 400),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_refused_body_is_a_problem_and_is_not_repeated(client, body, status):
    answer = client.request("POST", "/body", content=body, headers=HEADERS)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert VALUE not in answer.text
    assert "NaN" not in answer.text


def test_bytes_that_are_no_utf8_are_refused(client):
    answer = client.request(
        "POST", "/body", content=b'{"parts": "\xff\xfe"}', headers=HEADERS
    )
    assert answer.status_code == 400


def test_every_fault_is_named_by_its_place(client):
    body = {"parts": [{"value": 1.0}, {"value": "x"}, {}]}
    answer = client.request("POST", "/body", json=body)
    pointers = [error["pointer"] for error in answer.json()["errors"]]
    assert pointers == ["/parts/1/value", "/parts/2/value"]


def test_at_most_twenty_faults_are_listed(client):
    answer = client.request("POST", "/body", json={"parts": [{"value": "x"}] * 1000})
    assert len(answer.json()["errors"]) == 20
    assert "and 999 more" in answer.json()["detail"]


def test_an_unforeseen_error_says_nothing_of_what_it_saw(client):
    answer = client.request("GET", "/broken")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "4711" not in answer.text


def test_unknown_paths_and_methods_are_problems(client):
    assert client.request("GET", "/nowhere").json()["type"] == "/problems/not-found"
    refused = client.request("DELETE", "/body")
    assert refused.json()["type"] == "/problems/method-not-allowed"
    assert refused.headers["allow"] == "OPTIONS, POST"


def test_numbers_of_a_strict_model_are_finite():
    for value in (math.nan, math.inf):
        with pytest.raises(ValueError, match="finite"):
            Part(value=value)
