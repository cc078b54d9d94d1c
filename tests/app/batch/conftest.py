"""One model on the real server, and ways to ask it."""

from typing import Any

import httpx
import numpy as np
import pytest

COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.6,
    "reject_negative": 0.3,
}
COLUMNS = ["glucose", "bmi", "smoker", "town", "outcome"]
TOWNS = ["Rome", "Oslo", "Lima, Peru"]


def training_rows(n: int) -> list[list[Any]]:
    draw = np.random.default_rng(0)
    rows = []
    for i in range(n):
        glucose = round(draw.normal(120, 30), 1)
        town = TOWNS[int(draw.integers(3))]
        positive = glucose + 10 * draw.normal() + 15 * (town == "Oslo") > 125
        bmi = None if i % 9 == 0 else round(draw.normal(30, 5), 2)
        label = "yes; surely" if positive else "no"
        rows.append([glucose, bmi, bool(draw.integers(2)), town, label])
    return rows


@pytest.fixture(scope="module")
def model(server) -> str:
    """The name of a model that was trained on the server."""
    job = server.train(
        {
            "model": "batch",
            "trainer": {"kind": "double-hinge-svm"},
            "costs": COSTS,
            "data": {"kind": "inline", "columns": COLUMNS, "rows": training_rows(150)},
            "target": {"column": "outcome", "positive": "yes; surely"},
        }
    )
    assert job["status"] == "succeeded", job
    return "batch"


@pytest.fixture
def send(server, model):
    def sending(
        body: Any, media_type: str = "text/csv", **query: str
    ) -> httpx.Response:
        return server.http.post(
            "/predict/batch",
            content=body,
            params={"model": model, **query},
            headers={"content-type": media_type},
        )

    return sending


@pytest.fixture
def alone(server, model):
    """The predictions of POST /predict, each row asked alone."""

    def asking(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        found = []
        for row in rows:
            answer = server.http.post(
                "/predict",
                json={"model": model, "instances": [row], "extra_columns": "ignore"},
            )
            assert answer.status_code == 200, answer.text
            found += answer.json()["predictions"]
        return found

    return asking
