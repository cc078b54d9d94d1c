"""Sixty days on which nothing changes, replayed: alarms come no oftener than promised.

One false alarm of a kind in D days on average, whatever the days: within T days it
comes with probability T / D at most (Ville's inequality on the Shiryaev-Roberts sum).
"""

from datetime import timedelta

import numpy as np
import pytest
from scipy.stats import binom
from sqlalchemy import delete, select

from app.db.monitor_tables import Alarm, Bucket, Monitor
from tests.app.monitor.test_monitor import DAY, Past, past

__all__ = ["past"]

DAYS, PROMISED = 60, 250


def replay(past: Past, seeds: int) -> list[set[str]]:
    """Return the kinds of alarm of sixty quiet days, for each seed."""
    past.set(limits={"reject_rate": 0.25}, false_alarm_days=PROMISED)
    found = []
    for seed in range(seeds):
        past.draw = np.random.default_rng(seed)
        with past.database.write() as session:
            for table in (Alarm, Bucket):
                session.execute(delete(table))
            row = session.scalars(select(Monitor)).one()
            row.since, row.state = past.now - timedelta(days=1), {}
        past.days(DAYS, rejects=0.2, cells=past.cells, weigh=False)
        past.weigh()
        with past.database.read() as session:
            found.append(set(session.scalars(select(Alarm.kind))))
        past.now -= DAYS * DAY
    return found


@pytest.mark.parametrize(
    "seeds", [8, pytest.param(50, marks=pytest.mark.slow)], ids=["short", "whole"]
)
def test_sixty_quiet_days_raise_no_more_alarms_than_are_promised(past, seeds):
    found = replay(past, seeds)
    for kind in ("reject_rate", "expected_cost", "drift"):
        alarmed = sum(kind in kinds for kinds in found)
        assert alarmed <= binom.ppf(0.999, seeds, DAYS / PROMISED), (kind, alarmed)
    limits = sum(bool(kinds - {"drift"}) for kinds in found)
    assert limits <= 0.06 * seeds
