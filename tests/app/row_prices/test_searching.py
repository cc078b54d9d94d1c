"""A search ranks its candidates by what they cost at the rows' own prices."""

import numpy as np
import pytest

from tests.app.row_prices.payments import inline, train


def scored(n=600, seed=5):
    """Two scores: one is right about the many small amounts, one about the large."""
    draw = np.random.default_rng(seed)
    large = draw.random(n) < 0.15
    fraud = draw.random(n) < 0.5
    truth = np.where(fraud, 2.0, -2.0)
    noise = draw.normal(scale=0.5, size=(2, n))
    small_first = np.where(large, -truth, truth) + noise[0]
    large_first = np.where(large, truth, 0.0) + noise[1]
    amount = np.where(large, 5000.0, 10.0)
    columns = [amount, small_first, large_first]
    rows = [
        [*map(float, cells), "fraud" if ill else "fine"]
        for *cells, ill in zip(*columns, fraud, strict=True)
    ]
    return inline(rows, ["amount", "small", "large", "kind"])


@pytest.mark.parametrize(
    ("own", "winner"), [(True, "large"), (False, "small")], ids=["own", "one price"]
)
def test_the_winner_is_who_costs_least_at_the_prices_of_each_row(server, own, winner):
    error, reject = 20.0, 8.0
    if own:
        error, reject = ({"column": "amount", "times": t} for t in (1.0, 0.4))
    costs = {
        "false_positive": error,
        "false_negative": error,
        "reject_positive": reject,
        "reject_negative": reject,
    }
    told = train(
        server,
        f"searched-{winner}",
        data=scored(),
        costs=costs,
        trainer={"kind": "scores", "column": "small"},
        search={"params": {"column": ["small", "large"]}},
    )
    first, second = told["search"]["table"]
    assert first["params"] == {"column": winner}
    assert told["search"]["measure"] == "expected_cost"
    assert first["mean"] < second["mean"]
    assert first["standard_error"] > 0


def test_machines_of_a_grid_are_compared_at_the_prices_of_each_row(server):
    """What is told of the winner is near what its held-out rows cost."""
    told = train(
        server,
        "searched-grid",
        trainer=None,
        search={
            "candidates": [
                {"kind": kind, "params": {"C": [0.01, 1.0]}}
                for kind in ("svm", "double-hinge-svm")
            ],
            "folds": 4,
        },
    )
    best, *others = told["search"]["table"]
    assert len(others) == 3
    interval = told["evaluation"]["intervals"]["expected_cost"]
    assert interval[0] < best["mean"] < interval[1], interval
