"""Threads that write to SQLite: one at a time, in the order in which they came."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event, Thread

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.db import session as sessions
from app.db.session import open_database
from tests.waiting import until


@pytest.fixture
def opened(tmp_path):
    database = open_database(f"sqlite:///{tmp_path}/some.db")
    with database.write() as session:
        session.execute(text("CREATE TABLE told (who INTEGER)"))
    yield database
    database.close()


def turns_of(database):
    (listener,) = (
        one.__self__
        for one in database.engine.pool.dispatch.checkin
        if type(getattr(one, "__self__", None)).__name__ == "Turns"
    )
    return listener


def test_they_write_in_the_order_in_which_they_came(opened):
    hold = Event()

    def first():
        with opened.write() as session:
            session.execute(text("INSERT INTO told VALUES (0)"))
            hold.wait(30)

    def later(who):
        with opened.write() as session:
            session.execute(text("INSERT INTO told VALUES (:who)"), {"who": who})

    threads = [Thread(target=first)]
    threads[0].start()
    until(lambda: turns_of(opened)._taken)
    for who in range(1, 12):
        threads.append(Thread(target=later, args=(who,)))
        threads[-1].start()
        until(lambda who=who: len(turns_of(opened)._line) == who)
    hold.set()
    for thread in threads:
        thread.join(30)
    with opened.read() as session:
        told = session.scalars(text("SELECT who FROM told ORDER BY rowid")).all()
    assert told == list(range(12))


def test_nothing_is_lost_where_some_fail_and_others_only_look(opened):
    def work(who):
        for turn in range(10):
            with suppress(ZeroDivisionError), opened.write() as session:
                before = session.scalar(text("SELECT count(*) FROM told"))
                session.execute(text("INSERT INTO told VALUES (:n)"), {"n": before})
                1 / ((who + turn) % 3)
            with opened.read() as session:
                session.scalar(text("SELECT count(*) FROM told"))
            with opened.write():
                pass  # never began, so it took no turn

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    with opened.read() as session:
        told = session.scalars(text("SELECT who FROM told ORDER BY rowid")).all()
    kept = sum((who + turn) % 3 != 0 for who in range(8) for turn in range(10))
    assert told == list(range(kept))
    assert not turns_of(opened)._taken


def test_whoever_waits_too_long_is_told_and_the_line_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "BUSY_TIMEOUT_MS", 100)
    database = open_database(f"sqlite:///{tmp_path}/some.db")
    with database.write() as session:
        session.execute(text("CREATE TABLE told (who INTEGER)"))
        with (
            ThreadPoolExecutor(1) as thread,
            pytest.raises(OperationalError, match="locked"),
        ):
            thread.submit(_insert, database).result(30)
    _insert(database)
    assert not turns_of(database)._taken
    database.close()


def _insert(database):
    with database.write() as session:
        session.execute(text("INSERT INTO told VALUES (1)"))
