"""Sessions, tables and migrations, on SQLite and on PostgreSQL."""

import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import inspect, select, text
from sqlalchemy.exc import IntegrityError, StatementError

from app.db import migrate
from app.db.base import Base
from app.db.session import open_database
from app.db.states import FINISHED, MOVES, JobStatus
from app.db.tables import Job, JobInput, Model, ModelVersion

MOMENT = datetime(2026, 11, 27, tzinfo=UTC)

ROOT = Path(__file__).parents[3]


def test_migrations_lead_to_the_tables_of_the_code_and_back(database_url):
    database = open_database(database_url)
    assert not migrate.at_head(database)
    migrate.upgrade(database)
    assert migrate.at_head(database)
    migrate.check(database)
    migrate.upgrade(database)  # nothing left to do
    migrate.downgrade(database)
    assert not migrate.at_head(database)
    assert set(inspect(database.engine).get_table_names()) <= {"alembic_version"}
    migrate.upgrade(database)
    names = set(inspect(database.engine).get_table_names())
    assert set(Base.metadata.tables) <= names
    database.close()


def test_many_processes_that_migrate_at_once_migrate_once(database_url, tmp_path):
    command = [sys.executable, "-m", "app.cli", "migrate"]
    environment = {
        "PYTHONPATH": str(ROOT),
        "DEMUR_DATABASE_URL": database_url,
        "DEMUR_DATA_DIR": str(tmp_path),
    }
    started = [
        subprocess.Popen(command, env=environment, cwd=tmp_path, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for process in started:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()
    database = open_database(database_url)
    assert migrate.at_head(database)
    database.close()


@pytest.fixture
def later(database_url):
    """A database that a later version has migrated."""
    database = open_database(database_url)
    migrate.upgrade(database)
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '20991231_x'"))
    database.close()
    return database_url


COMMANDS = [["migrate"], ["serve", "--port", "0"], ["worker"], ["key", "list"]]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_database_of_a_later_version_is_one_line_with_the_way_out(
    later, tmp_path, command
):
    ended = subprocess.run(
        [sys.executable, "-m", "app.cli", *command],
        env={"DEMUR_DATABASE_URL": later, "DEMUR_DATA_DIR": str(tmp_path)},
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("demur: the database was made by a later version")
    assert "run that version, or restore a backup" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_database_of_a_later_version_is_left_as_it_is(later):
    database = open_database(later)
    assert "later version" in migrate.fault(database)
    with pytest.raises(migrate.LaterVersionError, match="run that version"):
        migrate.upgrade(database)
    with database.read() as session:
        (found,) = session.scalars(text("SELECT version_num FROM alembic_version"))
    assert found == "20991231_x"
    database.close()


def test_a_failed_migration_leaves_nothing(database_url, monkeypatch):
    database = open_database(database_url)
    # alembic writes its own table last; without the right to, all is undone
    monkeypatch.setattr(
        "alembic.runtime.migration.HeadMaintainer.update_to_step", _fail
    )
    with pytest.raises(RuntimeError, match="on purpose"):
        migrate.upgrade(database)
    assert inspect(database.engine).get_table_names() == []
    database.close()


def _fail(self, step):
    msg = "on purpose"
    raise RuntimeError(msg)


def test_one_migration_a_file_each_dated_and_in_one_line():
    names = [p.name for p in (ROOT / "migrations" / "versions").glob("2*.py")]
    assert names
    for name in names:
        datetime.strptime(name[:10], "%Y-%m-%d").replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "broken",
    [
        {"status": "sleeping"},
        {"status": "running"},
        {"status": "succeeded"},
        {"status": "succeeded", "finished_at": MOMENT},
        {"status": "failed", "finished_at": MOMENT},
        {"finished_at": MOMENT},
        {"result": {"model": "m", "version": 1}},
        {"error": {"detail": "x"}},
        {"progress_fraction": 1.5},
        {"progress_fraction": -0.1},
        {"attempts": -1},
        {"worker_id": "nobody", "status": "running"},
    ],
    ids=str,
)
def test_the_database_refuses_states_that_are_none(database, broken):
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(Job(model="m", **broken))


def test_the_database_refuses_a_version_twice(database):
    def add(version, sha256="0" * 64):
        with database.write() as session:
            model_id = session.scalars(select(Model.id)).one()
            session.add(
                ModelVersion(
                    model_id=model_id,
                    version=version,
                    summary={},
                    artifact_sha256=sha256,
                    artifact_bytes=1,
                )
            )

    with database.write() as session:
        session.add(Model(name="m"))
    add(1)
    for version, sha256 in ((1, "0" * 64), (0, "0" * 64), (2, "short")):
        with pytest.raises(IntegrityError):
            add(version, sha256)
    with pytest.raises(IntegrityError), database.write() as session:
        session.add(Model(name="m"))


def test_the_input_goes_with_its_job(database):
    with database.write() as session:
        session.add(Job(id="j", model="m"))
    with database.write() as session:
        session.add(JobInput(job_id="j", body=b"\x00\xff"))
    with database.write() as session:
        session.execute(text("DELETE FROM jobs"))
        assert session.scalars(select(JobInput)).all() == []


def test_times_are_utc_whatever_zone_they_came_in(database):
    moment = datetime(2026, 3, 2, 12, 30, 1, 5, timezone(timedelta(hours=2)))
    with database.write() as session:
        session.add(Job(model="m", created_at=moment))
    with database.read() as session:
        stored = session.scalars(select(Job.created_at)).one()
    assert stored == moment
    assert stored.tzinfo == UTC
    with pytest.raises(StatementError, match="zone"), database.write() as session:
        session.add(Job(model="m", created_at=datetime(2026, 3, 2)))  # noqa: DTZ001


def test_a_session_that_raises_leaves_nothing(database):
    def write_and_raise():
        with database.write() as session:
            session.add(Job(model="m"))
            session.flush()
            raise KeyError

    with pytest.raises(KeyError):
        write_and_raise()
    with database.read() as session:
        assert session.scalars(select(Job)).all() == []


def test_readers_and_writers_at_once_never_meet_a_lock_error(database):
    """Read-then-write transactions are what SQLite refuses at once unless they begin
    with the write lock."""
    failures = []

    def add_one(session):
        seen = session.scalars(select(Job.attempts).where(Job.id == "j")).one()
        session.execute(text("UPDATE jobs SET attempts = :n"), {"n": seen + 1})

    def work():
        try:
            for _ in range(20):
                with database.read() as session:
                    session.scalars(select(Job)).all()
                with database.write() as session:
                    if database.engine.dialect.name == "postgresql":
                        session.execute(text("LOCK TABLE jobs IN EXCLUSIVE MODE"))
                    add_one(session)
        except Exception as error:  # noqa: BLE001 - any is a failure of this test
            failures.append(error)

    with database.write() as session:
        session.add(Job(id="j", model="m"))
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with database.read() as session:
        assert session.scalars(select(Job.attempts)).one() == 120


def test_sqlite_waits_writes_ahead_and_keeps_its_keys(tmp_path):
    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    with database.read() as session:
        pragma = {
            name: session.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "busy_timeout", "foreign_keys")
        }
    assert pragma == {"journal_mode": "wal", "busy_timeout": 20_000, "foreign_keys": 1}
    database.close()


def test_only_what_need_not_last_does_not_wait_for_the_disk(database):
    full, brief, asked = "2", "1", "PRAGMA synchronous"
    if database.engine.dialect.name == "postgresql":
        full, brief, asked = "on", "off", "SHOW synchronous_commit"
    for lasting in (True, False, True):  # of one connection, again and again
        with database.write(lasting=lasting) as session:
            found = str(session.scalar(text(asked)))
        assert found == (full if lasting else brief)


def test_the_moves_between_states_end_where_jobs_end():
    assert set(MOVES) == set(JobStatus)
    assert {"succeeded", "failed", "cancelled"} == FINISHED
    reached = {JobStatus.QUEUED} | {to for onward in MOVES.values() for to in onward}
    assert reached == set(JobStatus)
