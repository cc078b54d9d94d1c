"""Tables at the edge of what can be learnt from: every trainer has an answer."""

import json

import pytest

from app.artifacts.model import ServedModel
from app.errors import InvalidRequestError
from app.train.trainers.registry import TRAINERS
from app.worker.fit.pipeline import run
from tests.app.worker.fit.mixed_columns import quick

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


@pytest.mark.parametrize("trainer", sorted(set(TRAINERS) - {"scores"}))
@pytest.mark.parametrize("name", COLUMNS)
def test_every_trainer_has_an_answer(trainer, name):
    columns = COLUMNS[name]
    rows = [
        [*(column[i] for column in columns), "yes" if i % 2 else "no"]
        for i in range(len(columns[0]))
    ]
    names = [f"c{j}" for j in range(len(columns))]
    chosen = quick(trainer)
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


ALIKE = {
    "expected-cost": {},
    "symmetric": {},
    "mutual-information": {"method": "exact"},
    "bounded-abstention": {"max_reject_rate": 0.1},
    "bounded-error": {"max_error": 0.01},
    "bounded-cost": {"max_cost": 0.01},
}


@pytest.mark.parametrize("rule", ALIKE)
@pytest.mark.parametrize("share", [0.1, 0.9], ids=["mostly -1", "mostly +1"])
def test_thresholds_that_do_not_exist_are_null_and_a_word_is_said(rule, share):
    """Scores that are all alike leave nothing to be cut."""
    labels = ["yes" if i < share * 200 else "no" for i in range(200)]
    result = run(
        {
            "model": "edge",
            "trainer": {"kind": "svm"},
            "costs": COSTS,
            "rule": {"kind": rule, **ALIKE[rule]},
            "data": {
                "kind": "inline",
                "columns": ["c", "y"],
                "rows": [[1.0, label] for label in labels],
            },
            "target": {"column": "y", "positive": "yes"},
        },
        lambda *_: True,
    )
    told = result.summary["thresholds"]
    assert all(abs(number) < 1e100 for number in numbers(result.summary))
    band = ServedModel.from_payload(result.artifact).band
    assert told["always"] == band.always
    assert told["always"] or rule in {"symmetric", "mutual-information"}
    if told["always"]:
        assert told["lower"] is told["upper"] is None
        done = {"reject": "rejected"}.get(told["always"], f"called {told['always']}")
        assert any(f"every row is {done}: " in text for text in result.warnings)


def numbers(told):
    """Every number of some facts."""
    if isinstance(told, dict):
        told = list(told.values())
    if isinstance(told, list):
        return [number for one in told for number in numbers(one)]
    return [told] if isinstance(told, int | float) else []


def test_a_class_of_one_row_is_refused_without_a_word_on_groups_that_there_are_not():
    rows = [[float(i), "yes" if i % 2 else "no"] for i in range(N)]
    with pytest.raises(InvalidRequestError) as caught:
        run(
            {
                "model": "edge",
                "trainer": {"kind": "logistic"},
                "costs": COSTS,
                "data": {"kind": "inline", "columns": ["x", "y"], "rows": rows},
                "target": {"column": "y", "positive": "yes"},
                "evaluation": {"holdout": 0.95},
            },
            lambda *_: True,
        )
    (error,) = caught.value.errors
    assert error.pointer == "/data/rows"
    assert error.detail.endswith("send more of these, or hold out fewer")
