"""A table like the Pima diabetes data, and trainings on it over HTTP."""

from typing import Any

import numpy as np

from tests.app.conftest import Service
from tests.app.trainings import PRICES, changed

__all__ = ["COLUMNS", "FEATURES", "PRICES", "patients", "predict", "train"]

FEATURES = ["plas", "mass", "age", "ward"]
COLUMNS = [*FEATURES, "diabetes"]


def patients(n: int = 400, seed: int = 7) -> list[list[Any]]:
    """Glucose, mass and age tell most, none tells all; some values are missing."""
    draw = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        sick = draw.random() < 0.35
        plas, mass, age = (
            float(np.round(draw.normal(center + sick * shift, spread), 2))
            for center, shift, spread in ((112, 34, 26), (31, 4, 7), (31, 5, 11))
        )
        row = [plas, mass, age, "north" if draw.random() < 0.5 else "south"]
        if draw.random() < 0.05:
            row[1] = None
        made.append([*row, "yes" if sick else "no"])
    return made


def inline(rows: list[list[Any]], columns: list[str] = COLUMNS) -> dict[str, Any]:
    """Return rows as the ``data`` of a request."""
    return {"kind": "inline", "columns": columns, "rows": rows}


def train(server: Service, name: str, **changes: Any) -> dict[str, Any]:
    """Train a model; return what its version says."""
    body = {
        "model": name,
        "trainer": {"kind": "double-hinge-svm"},
        "costs": PRICES,
        "data": inline(patients()),
        "target": {"column": "diabetes", "positive": "yes"},
    }
    job = server.train(changed(body, **changes))
    assert job["status"] == "succeeded", job
    return version(server, name, job["result"]["version"])


def version(server: Service, name: str, number: int) -> dict[str, Any]:
    """Return what a version says of itself."""
    answer = server.http.get(f"/models/{name}/versions/{number}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def predict(
    server: Service, model: str, rows: list[list[Any]], **more: Any
) -> dict[str, Any]:
    """Ask a model about rows of features."""
    data = {"columns": FEATURES, "rows": rows}
    answer = server.http.post("/predict", json={"model": model, "data": data, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()
