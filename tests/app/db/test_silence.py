"""A PostgreSQL server that hangs: nobody waits for it, and predictions go on."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.db import migrate
from app.db.session import open_database
from app.db.watch import SilentDatabaseError
from tests.app.db.tcp_proxy import Proxy
from tests.app.pima_like import inline, patients, train
from tests.app.postgres import fresh_postgres
from tests.app.trainings import training
from tests.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.thorough]


@pytest.fixture(scope="module")
def line(postgres_server):
    with fresh_postgres(postgres_server) as url:
        database = open_database(url)
        migrate.upgrade(database)
        database.close()
        proxy = Proxy(url)
        yield proxy
        proxy.close()


@pytest.fixture(scope="module")
def served(line, service_type, tmp_path_factory):
    """A service behind the line, with a model."""
    service = service_type(
        tmp_path_factory.mktemp("behind"), {"DEMUR_DATABASE_URL": line.url}
    ).start()
    train(service, "m")
    yield service
    line.release()
    service.stop()


@pytest.fixture
def held(line):
    line.hold()
    yield
    line.release()


def question(model="m", rows=1):
    data = {"columns": ["plas", "mass", "age", "ward"]}
    data["rows"] = [row[:4] for row in patients(rows)]
    return {"model": model, "data": data}


LARGE = 30_000
"""Rows of a body that is answered by a process of its own."""


def test_predictions_go_on_while_the_server_hangs(served, line):
    asked = [question(), question(rows=100), question(rows=LARGE), question("m:1")]

    def decided(body):
        answer = served.http.post("/predict", json=body)
        assert answer.status_code == 200, answer.text
        told = answer.json()["predictions"]
        return [(one["decision"], one["score"], one["expected_cost"]) for one in told]

    before = [decided(body) for body in asked]
    line.hold()
    try:
        for body, expected in zip(asked, before, strict=True):
            assert decided(body) == expected
        csv = "plas,mass,age,ward\n100,30,40,north\n"
        batch = served.http.post(
            "/predict/batch?model=m", content=csv, headers={"content-type": "text/csv"}
        )
        assert batch.status_code == 200, batch.text
        unknown = served.http.post("/predict", json=question("never-asked-for"))
        assert unknown.status_code == 503
    finally:
        line.release()


ROUTES = [
    ("GET", "/models", None),
    ("GET", "/jobs", None),
    ("GET", "/datasets", None),
    ("GET", "/metrics", None),
    ("PUT", "/models/m/aliases/a", {"version": 1}),
    ("PATCH", "/models/m", {"description": "x"}),
    ("POST", "/models/m/versions/1/reprice", {"costs": {}}),
    (
        "POST",
        "/train",
        {
            "model": "n",
            "trainer": {"kind": "svm"},
            "data": inline(patients(20)),
            "target": {"column": "diabetes", "positive": "yes"},
        },
    ),
]


def test_all_else_is_503_without_a_trace_and_heals_by_itself(served, line):
    line.hold()
    try:
        for method, path, body in ROUTES:
            answer = served.http.request(method, path, json=body)
            assert answer.status_code in {503, 422}, (path, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
        told = served.http.get("/readyz")
        assert told.status_code == 503
        (error,) = told.json()["errors"]
        assert error["pointer"] == "/database"
        assert "predictions go on" in error["detail"]
        assert "DEMUR_STALE_SECONDS" in error["detail"]
        assert served.http.get("/livez").status_code == 200
    finally:
        line.release()
    until(lambda: served.http.get("/readyz").status_code == 200)
    for method, path, body in ROUTES:
        answer = served.http.request(method, path, json=body)
        assert answer.status_code in {200, 202, 422}, (path, answer.text)
    log = (served.data_dir / "log").read_text()
    assert "Traceback" not in log
    assert "the database does not answer" in log
    assert "the database answers again" in log


def test_a_connection_that_hangs_alone_is_replaced(served, line):
    assert served.http.get("/models").status_code == 200
    line.strand()
    for _ in range(3):
        assert served.http.get("/models").status_code == 200
    assert served.train(training(model="after"))["status"] == "succeeded"


def test_what_is_too_old_is_not_answered_by(line, service_type, served):
    service = service_type(
        served.data_dir,
        {"DEMUR_DATABASE_URL": line.url, "DEMUR_STALE_SECONDS": "0"},
        ("--no-worker",),
    )
    try:
        service.start()
        asked = service.http.post("/predict", json=question())
        assert asked.status_code == 200, asked.text
        line.hold()
        until(lambda: service.http.post("/predict", json=question()).status_code == 503)
    finally:
        line.release()
        service.stop()


def test_a_wait_under_way_ends_and_no_other_begins(line):
    database = open_database(line.url, patience_s=0.5)

    def asking():
        with database.read() as session:
            session.execute(text("SELECT 1"))
            line.hold()
            session.execute(text("SELECT 1"))

    with pytest.raises(OperationalError, match="does not answer"):
        asking()
    with pytest.raises(SilentDatabaseError), database.read():
        pytest.fail("the server is known to be silent")
    assert database.silent_s is not None
    line.release()
    until(lambda: database.silent_s is None)
    with database.write() as session:
        assert session.scalar(text("SELECT 2")) == 2
    database.close()


def test_a_slow_statement_of_a_server_that_lives_is_waited_for(line):
    database = open_database(
        line.url, patience_s=3.0
    )  # a busy server has 1.5 to answer
    with database.read() as session:
        assert session.scalar(text("SELECT 3 FROM pg_sleep(3.5)")) == 3
    assert database.silent_s is None
    database.close()


def test_a_server_that_is_not_there_is_silent_at_once():
    database = open_database("postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    with pytest.raises(OperationalError), database.read() as session:
        session.execute(text("SELECT 1"))
    until(lambda: database.silent_s is not None)
    with pytest.raises(SilentDatabaseError):
        database.write()
    database.close()
