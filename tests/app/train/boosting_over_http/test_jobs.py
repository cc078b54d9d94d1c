"""Boosting jobs: they tell each round, stop when asked, and keep groups whole."""

import numpy as np
import pytest

from tests.app.pima_like import version
from tests.app.train.boosting_over_http.conftest import EVEN, TRAINER, request
from tests.waiting import until


def noise(n=4000):
    draw = np.random.default_rng(1)
    X = draw.normal(size=(n, 6)).round(4)
    label = draw.random(n) < 1 / (1 + np.exp(-X[:, 0]))
    rows = [[*row, bool(y)] for row, y in zip(X.tolist(), label, strict=True)]
    return {"kind": "inline", "columns": [*"abcdef", "y"], "rows": rows}


ENDLESS = {
    "model": "endless",
    "costs": EVEN,
    "rule": {"kind": "chow"},
    "data": noise(),
    "target": {"column": "y", "positive": True},
}


@pytest.mark.parametrize("kind", TRAINER)
def test_each_round_is_told_and_a_cancelled_job_stops(server, kind):
    trainer = {"kind": kind, "n_rounds": 100_000}
    if kind != "adaboost":
        trainer["early_stopping"] = False
    job = server.train({**ENDLESS, "trainer": trainer}, wait=False)["id"]
    rounds = set()

    def two():
        said = server.job(job)["progress"]["message"]
        if "round" in said:
            rounds.add(said)
        return len(rounds) == 2

    until(two, lambda: server.job(job))
    server.http.post(f"/jobs/{job}/cancel")
    server.await_job(job, "cancelled")


def test_groups_are_not_parted_by_early_stopping(server):
    """Cases eight times over, their labels noise: siblings reward learning them."""
    draw = np.random.default_rng(3)
    cases = draw.normal(size=(80, 3)).round(3).tolist()
    labels = draw.integers(2, size=80).tolist()
    rows = [
        [*case, f"p{i}", bool(label)]
        for i, (case, label) in enumerate(zip(cases, labels, strict=True))
        for _ in range(8)
    ]
    trees = {}
    for grouped in (False, True):
        columns = ["a", "b", "c", "patient", "y"]
        data = [row if grouped else [*row[:3], row[4]] for row in rows]
        body = request(
            "gradient-boosting",
            "chow",
            model=f"grouped-{grouped}",
            trainer={"kind": "gradient-boosting", "n_rounds": 150},
            data={
                "kind": "inline",
                "columns": columns if grouped else [*"abc", "y"],
                "rows": data,
            },
            target={"column": "y", "positive": True},
        )
        job = server.train({**body, "groups": "patient"} if grouped else body)
        assert job["status"] == "succeeded", job
        trees[grouped] = version(server, body["model"], 1)["trees"]
    assert trees[True] < trees[False]
