"""``demur worker --check``: whether a worker of this machine is at work."""

from datetime import timedelta

import pytest

from app.db.base import utc_now
from app.db.tables import Worker
from app.health.workers import FRESH_S, is_working
from app.jobs.identity import own_identity
from tests.waiting import until


def enter(database, **changes):
    own = own_identity()
    row = {"host": own.host, "pid": own.pid, "process_start": own.start}
    with database.write() as session:
        session.add(Worker(**{**row, **changes}))


def test_a_living_worker_of_this_machine_that_beats(database):
    assert not is_working(database)
    enter(database)
    assert is_working(database)


@pytest.mark.parametrize(
    "changes",
    [
        {"heartbeat_at": utc_now() - timedelta(seconds=FRESH_S + 600)},
        {"host": "another machine"},
        {"process_start": "another process had this number"},
    ],
    ids=["silent", "elsewhere", "gone"],
)
def test_these_are_none(database, changes):
    enter(database, **changes)
    assert not is_working(database)


def test_the_command_says_it_by_its_status(server, demur, tmp_path):

    def check():
        checked = demur("worker", "--check", data_dir=server.data_dir)
        return (checked.returncode, checked.stderr) == (0, "")

    until(check)  # the API is ready before its worker is
    demur("migrate", data_dir=tmp_path)
    checked = demur("worker", "--check", data_dir=tmp_path)
    assert checked.returncode == 1
    assert checked.stderr.count("\n") == 1
