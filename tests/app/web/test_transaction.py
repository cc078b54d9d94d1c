"""A request's commit happens before its reply: a failing one is never answered 2xx."""

import asyncio

import httpx
import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.db import migrate
from app.db.session import open_database
from app.db.tables import Job
from app.jobs.service import enqueue
from app.main import create_app
from app.settings import Settings


@pytest.fixture
def served(tmp_path):
    settings = Settings(data_dir=tmp_path)
    database = open_database(settings.database)
    migrate.upgrade(database)
    with database.write() as session:
        job_id = enqueue(session, model="m", request_body=b"{}").id
    yield create_app(settings), database, job_id
    database.close()


def ask(app, method, path):
    async def once():
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost"
        ) as client:
            return await client.request(method, path)

    return asyncio.run(once())


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (OperationalError("COMMIT", {}, Exception("gone")), 503),
        (OperationalError("COMMIT", {}, Exception("database or disk is full")), 507),
        (RuntimeError("4711"), 500),
    ],
    ids=["away", "full", "unforeseen"],
)
def test_a_commit_that_fails_is_told(served, failure, status):
    app, database, job_id = served

    def refuse(session):
        raise failure

    event.listen(Session, "before_commit", refuse)
    try:
        answer = ask(app, "POST", f"/jobs/{job_id}/cancel")
    finally:
        event.remove(Session, "before_commit", refuse)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert "4711" not in answer.text
    with database.read() as session:
        assert session.get(Job, job_id).status == "queued"
    assert ask(app, "POST", f"/jobs/{job_id}/cancel").status_code == 202
