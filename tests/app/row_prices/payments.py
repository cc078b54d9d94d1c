"""Payments, some of them frauds: to let one through costs four fifths of its amount."""

from typing import Any

import numpy as np

from solvers import RowCosts
from tests.app.conftest import Service

__all__ = ["COLUMNS", "FEATURES", "PRICES", "inline", "own_costs", "payments", "train"]

FEATURES = ["amount", "night", "age"]
COLUMNS = [*FEATURES, "kind"]
PRICES: dict[str, Any] = {
    "false_positive": 20,
    "false_negative": {"column": "amount", "times": 0.8},
    "reject_positive": 4,
    "reject_negative": 4,
}


def payments(n: int = 400, seed: int = 0) -> list[list[Any]]:
    """Large amounts are few, and frauds a little likelier among them."""
    draw = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        amount = round(float(draw.lognormal(4.0, 1.3)) + 0.01, 2)
        night, age = bool(draw.random() < 0.25), float(draw.exponential(4.0))
        odds = 4.0 * night - 0.6 * age + 0.3 * np.log(amount) - 1.4
        fraud = draw.random() < 1.0 / (1.0 + np.exp(-odds))
        made.append([amount, night, round(age, 3), "fraud" if fraud else "fine"])
    return made


def own_costs(amounts: Any) -> RowCosts:
    """Return ``PRICES`` of rows with these amounts."""
    return RowCosts(20.0, 0.8 * np.asarray(amounts, np.float64), 4.0, 4.0)


def inline(rows: list[list[Any]], columns: list[str] = COLUMNS) -> dict[str, Any]:
    """Return rows as the ``data`` of a request."""
    return {"kind": "inline", "columns": columns, "rows": rows}


def body(name: str = "payments", **changes: Any) -> dict[str, Any]:
    """Return the body of a training; members that are None are left out."""
    made = {
        "model": name,
        "trainer": {"kind": "logistic"},
        "costs": PRICES,
        "data": inline(payments()),
        "target": {"column": "kind", "positive": "fraud"},
        **changes,
    }
    return {key: value for key, value in made.items() if value is not None}


def train(server: Service, name: str, **changes: Any) -> dict[str, Any]:
    """Train a model; return what its version says."""
    job = server.train(body(name, **changes))
    assert job["status"] == "succeeded", job
    number = job["result"]["version"]
    answer = server.http.get(f"/models/{name}/versions/{number}")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told
