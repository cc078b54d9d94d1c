"""Tables at the edge of what can be learnt from: every trainer has an answer."""

import json

import pytest

from app.artifacts.model import ServedModel
from app.train.trainers.registry import TRAINERS
from app.worker.fit.pipeline import run

N = 40
COSTS = {
    "false_positive": 1,
    "false_negative": 1,
    "reject_positive": 0.3,
    "reject_negative": 0.3,
}
COLUMNS = {
    "six rows": [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]],
    "a constant": [[1.0] * N],
    "nothing but missing values": [[None] * N],
    "a column without values": [[None] * N, list(range(N))],
    "one category": [["a"] * N],
    "a category in every second row": [[f"k{i % 20}" for i in range(N)]],
    "a boolean with missing values": [
        [None if i % 4 == 0 else i % 3 == 0 for i in range(N)]
    ],
    "numbers near overflow": [[1e300 * (-1) ** i for i in range(N)]],
    "numbers near underflow": [[1e-300 * i for i in range(N)]],
    "the label itself": [[float(i % 2) for i in range(N)]],
    "equal rows of both classes": [[1.0, 1.0, 2.0, 2.0] * 10],
}


@pytest.mark.parametrize("trainer", TRAINERS)
@pytest.mark.parametrize("name", COLUMNS)
def test_every_trainer_has_an_answer(trainer, name):
    columns = COLUMNS[name]
    rows = [
        [*(column[i] for column in columns), "yes" if i % 2 else "no"]
        for i in range(len(columns[0]))
    ]
    names = [f"c{j}" for j in range(len(columns))]
    chosen = {"kind": trainer}
    if "boost" in trainer or "trees" in trainer:
        chosen["n_rounds"] = 10
    result = run(
        {
            "model": "edge",
            "trainer": chosen,
            "costs": COSTS,
            "data": {"kind": "inline", "columns": [*names, "y"], "rows": rows},
            "target": {"column": "y", "positive": "yes"},
        },
        lambda *_: True,
    )
    json.dumps(result.summary, allow_nan=False)
    ServedModel.from_payload(result.artifact)
    if name == "the label itself":
        assert result.summary["evaluation"]["error_rate"] == 0.0
