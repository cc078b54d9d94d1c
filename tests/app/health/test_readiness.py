"""What is missing is named, with 503; the process itself stays alive."""

import shutil
from datetime import timedelta

import pytest

from app.artifacts.store import ArtifactStore
from app.db import migrate
from app.db.base import utc_now
from app.db.session import open_database
from app.db.tables import Worker
from app.health.metrics import Metrics
from app.health.readiness import missing, notes_on
from app.health.workers import LIVELY_S
from app.jobs.identity import own_identity
from app.settings import Settings
from app.state import AppState


@pytest.fixture
def state(tmp_path, database_url):
    settings = Settings(data_dir=tmp_path / "data", database_url=database_url)
    settings.data_dir.mkdir()
    state = AppState(
        settings=settings,
        database=open_database(settings.database),
        store=ArtifactStore(settings.artifacts_dir),
        metrics=Metrics(),
    )
    yield state
    state.database.close()


def places(state):
    return [error.pointer for error in missing(state)]


def test_all_is_well_once_the_tables_are_there(state):
    assert places(state) == ["/migrations"]
    migrate.upgrade(state.database)
    assert places(state) == []
    migrate.downgrade(state.database)
    assert places(state) == ["/migrations"]


def test_a_folder_that_cannot_be_written_is_named(state):
    migrate.upgrade(state.database)
    shutil.rmtree(state.settings.data_dir)
    state.settings.data_dir.write_text("a file is in the way")
    assert places(state) == ["/data_dir"]


def test_a_database_that_is_away_is_named(tmp_path):
    settings = Settings(
        data_dir=tmp_path,
        database_url="postgresql+psycopg://nobody@127.0.0.1:1/nothing",
    )
    database = open_database(settings.database)
    state = AppState(settings, database, ArtifactStore(tmp_path), Metrics())
    assert places(state) == ["/database"]
    database.close()


LONG_AGO = timedelta(seconds=LIVELY_S + 60)


@pytest.mark.parametrize(
    ("changes", "lives"),
    [
        ({}, True),
        ({"host": "another machine"}, True),
        ({"process_start": "another process had this number"}, False),
        ({"heartbeat_at": utc_now() - LONG_AGO}, False),
        ({"host": "another", "heartbeat_at": utc_now() - LONG_AGO}, False),
    ],
    ids=["here", "elsewhere", "gone", "silent", "silent elsewhere"],
)
def test_that_no_worker_lives_is_noted(state, changes, lives):
    migrate.upgrade(state.database)
    assert "no worker lives" in notes_on(state)[0]
    own = own_identity()
    row = {"host": own.host, "pid": own.pid, "process_start": own.start, **changes}
    with state.database.write() as session:
        session.add(Worker(**row))
    assert (notes_on(state) == []) is lives
    assert missing(state) == []
