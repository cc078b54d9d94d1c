"""Counts outlive stops and an absent database; cycles begin where they should."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from app.db.monitor_tables import Bucket
from app.db.tables import Model, ModelVersion
from app.models.queries import ResolvedVersion
from app.monitor.counts import BUCKET, BucketCounts, start_of
from app.predict.answer import Tally

VERSION = ResolvedVersion("m", 1, "0" * 64)


@pytest.fixture
def known(database):
    """A database with one version."""
    with database.write() as session:
        session.add(model := Model(name="m", last_version=1))
        session.flush()
        session.add(
            ModelVersion(
                model_id=model.id,
                version=1,
                summary={},
                artifact_sha256="0" * 64,
                artifact_bytes=1,
            )
        )
    return database


def buckets(database):
    with database.read() as session:
        return session.scalars(select(Bucket)).all()


def test_two_processes_and_a_restart_lose_no_row(known):
    for rows in (3, 4, 5):
        counts = BucketCounts(known)
        counts.note(VERSION, Tally(rows, 1, 2, cells={7: rows}))
        counts.note(VERSION, Tally(rows, 0, rows, cells={8: rows}))
        counts.close()
    found = buckets(known)
    assert sum(bucket.n_rows for bucket in found) == 2 * (3 + 4 + 5)
    assert sum(bucket.cells["7"] for bucket in found) == 12
    assert sum(bucket.rejects["ambiguous"] for bucket in found) == 6 + 12


def test_writing_again_adds_nothing_twice(known):
    counts = BucketCounts(known)
    counts.note(VERSION, Tally(2, cells={0: 2}))
    counts._write()
    counts.note(VERSION, Tally(1, cells={0: 1}))
    counts._write()
    counts._write()
    counts.close()
    assert sum(bucket.n_rows for bucket in buckets(known)) == 3


def test_counts_wait_for_a_database_that_is_away(known, monkeypatch):
    counts = BucketCounts(known)
    counts.note(VERSION, Tally(2, cells={0: 2}))

    def away(self):
        raise OperationalError(None, None, Exception())

    with monkeypatch.context() as patched:
        patched.setattr(type(known), "write", away)
        counts._write()
    assert buckets(known) == []
    counts.close()
    assert [bucket.n_rows for bucket in buckets(known)] == [2]


def test_a_version_that_is_gone_is_counted_no_more(known):
    counts = BucketCounts(known)
    counts.note(ResolvedVersion("gone", 1, "0" * 64), Tally(2))
    counts.note(VERSION, Tally(1))
    counts.close()
    assert [bucket.n_rows for bucket in buckets(known)] == [1]


@pytest.mark.parametrize("length", [BUCKET, timedelta(hours=1), timedelta(days=7)])
def test_a_bucket_holds_its_moment_and_weeks_begin_on_mondays(length):
    moment = datetime(2026, 11, 28, 13, 47, 12, tzinfo=UTC)
    start = start_of(moment, length)
    assert start <= moment < start + length
    assert start_of(start, length) == start
    if length == timedelta(days=7):
        assert start == datetime(2026, 11, 23, tzinfo=UTC)
