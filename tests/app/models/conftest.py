"""A registry of versions that made so many errors each."""

import numpy as np
import pytest

from app.artifacts.store import ArtifactStore
from app.models import aliases
from app.models.publication import add_version
from app.models.registry_schemas import (
    GatesAsked,
    MoveAlias,
)

COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.6,
    "reject_negative": 0.3,
}


@pytest.fixture
def store(tmp_path):
    return ArtifactStore(tmp_path / "artifacts")


def table(wrong, rejected, right=90):
    """A confusion table: so many errors and rejects of each class."""
    return {
        "+1": {"+1": right, "-1": wrong, "reject": rejected},
        "-1": {"-1": right, "+1": wrong, "reject": rejected},
    }


def against(difference, rows):
    """Return a paired difference from a constant, its interval and what it shows."""
    low, high = difference - 5 / rows, difference + 5 / rows
    shown = "better" if high < 0 else "worse" if low > 0 else "not shown"
    return {"difference": difference, "interval": [low, high], "shown": shown}


@pytest.fixture
def publish(database, store):
    """Add a version that made so many errors on held-out rows."""

    def one(name="m", wrong=1, rows=range(20), content=None):
        confusion = table(wrong, 4)
        total = sum(sum(row.values()) for row in confusion.values())
        cost = (wrong * 6 + 4 * 0.9) / total
        evaluation = {
            "rows": total,
            "expected_cost": cost,
            "reject_rate": 8 / total,
            "selective_error": 2 * wrong / (total - 8),
            "confusion": confusion,
            "share_positive": 0.5,
            "constants": {"+1": 0.5, "-1": 2.5, "reject": 0.45},
            "against_constants": {
                name: against(cost - price, total)
                for name, price in (("+1", 0.5), ("-1", 2.5), ("reject", 0.45))
            },
        }
        n = len(rows)
        holdout = {
            "rows": np.array(rows),
            "positive": np.arange(n) % 2.0,
            "weight": np.ones(n),
        }
        file = store.write(
            {"evidence": {"holdout": holdout}, "content": content or [name, wrong]}
        )
        with database.write() as session:
            summary = {"evaluation": evaluation, "costs": COSTS}
            return add_version(session, name, summary, file)

    return one


@pytest.fixture
def move(database, store):
    """Point an alias of m at a version."""

    def to(version, alias="champion", name="m", **gates):
        asked = MoveAlias(version=version, gates=GatesAsked(**gates))
        with database.write() as session:
            return aliases.move(session, store, name, alias, asked)

    return to
