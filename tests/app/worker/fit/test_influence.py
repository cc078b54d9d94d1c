"""What a model's probability hangs on, for every trainer."""

import pytest

from app.train.trainers.registry import TRAINERS
from tests.app.worker.fit.mixed_columns import COLUMNS, quick, trained


@pytest.mark.parametrize("kind", TRAINERS)
def test_the_column_that_decides_is_told_first(kind):
    told = trained(trainer=quick(kind), rule=None).summary["influence"]
    if kind == "scores":  # it reads one column, whatever others there are
        assert len(told) == 1
    else:
        assert set(told) == set(COLUMNS[:-1])
        assert max(told, key=told.get) == "age"
    assert all(0 <= moved <= 1 for moved in told.values())


def test_a_column_that_says_nothing_moves_nothing():
    stumps = {"kind": "adaboost", "n_rounds": 1}
    told = trained(trainer=stumps, rule=None).summary["influence"]
    assert told["age"] > 0
    assert [name for name, moved in told.items() if moved] == ["age"]


def test_where_nothing_is_held_out_nothing_is_told():
    asked = {"holdout": 0.0}
    assert trained(rule=None, evaluation=asked).summary["influence"] == {}
