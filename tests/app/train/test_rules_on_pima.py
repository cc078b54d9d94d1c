"""Every rule on the Pima diabetes data itself, over HTTP, wherever the file lies."""

import csv
import gzip
import os
from pathlib import Path

import pytest

from solvers.rules.registry import RULES
from tests.app.pima_like import inline, version
from tests.app.train.test_rules_over_http import ASKED, EVEN

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.timeout(600),  # fourteen trainings before the first test
]

BOUNDS = {
    "bounded-error, feasible": {"rule": {"kind": "bounded-error", "max_error": 0.35}},
    "bounded-error by label": {
        "rule": {
            "kind": "bounded-error",
            "max_error": {"+1": 0.5, "-1": 0.5},
            "by": "label",
        }
    },
    "bounded-abstention, by share": {
        "rule": {"kind": "bounded-abstention", "max_reject_rate": 0.2}
    },
    "bounded-cost, infeasible": {"rule": {"kind": "bounded-cost", "max_cost": 0.005}},
}


@pytest.fixture(scope="module")
def told(server):
    """What the version of each training says."""
    folder = os.environ.get("DEMUR_DATA_FOLDER")
    if not folder:
        pytest.skip("DEMUR_DATA_FOLDER names no folder with pima.csv.gz")
    with gzip.open(Path(folder) / "pima.csv.gz", "rt") as file:
        names, *lines = csv.reader(file)
    assert len(lines) == 768
    rows = [
        [*map(float, line[:-1]), "yes" if int(line[-1]) > 0 else "no"] for line in lines
    ]
    data = inline(rows, [*names[:-1], "diabetes"])
    jobs = {}
    for kind, asked in {**ASKED, **BOUNDS}.items():
        body = {
            "model": kind.replace(", ", "-").replace(" ", "-"),
            "trainer": {"kind": "svm"},
            "costs": EVEN,
            "rule": {"kind": kind},
            "data": data,
            "target": {"column": "diabetes", "positive": "yes"},
            **asked,
        }
        body = {key: value for key, value in body.items() if value is not None}
        jobs[kind] = server.train(body, wait=False)
    ended = {k: server.await_job(job["id"]) for k, job in jobs.items()}
    bad = {k: job["error"] for k, job in ended.items() if job["status"] != "succeeded"}
    assert bad == {}
    return {k: version(server, job["model"], 1) for k, job in ended.items()}


@pytest.mark.parametrize("kind", [*ASKED, *BOUNDS])
def test_thresholds_evaluation_and_promise(told, kind):
    one = told[kind]
    rule = one["rule"]["kind"]
    assert rule == kind.partition(",")[0].partition(" ")[0]
    if rule == "embedded":
        assert one["thresholds"] is None
    else:
        lower, upper = one["thresholds"]["lower"], one["thresholds"]["upper"]
        assert lower is None or upper is None or lower <= upper
    figures = one["evaluation"]
    assert 140 <= figures["rows"] <= 160
    assert 0.0 <= figures["error_rate"] <= 1.0
    assert 0.0 <= figures["reject_rate"] <= 1.0
    table = figures["confusion"]
    counted = sum(sum(row.values()) for row in table.values())
    assert counted == pytest.approx(figures["rows"])
    assert (figures["expected_cost"] is None) == (one["costs"] is None)
    if RULES[rule].promises:
        assert isinstance(one["promise"], str)
        assert one["feasible"] in {True, False}
        if not one["feasible"]:
            assert "not promised" in one["promise"]
            assert figures["reject_rate"] == 1.0


def test_what_can_be_kept_is_promised_and_what_cannot_is_an_answer(told):
    assert told["bounded-error, feasible"]["feasible"] is True
    assert told["bounded-error, feasible"]["evaluation"]["reject_rate"] < 1.0
    assert told["bounded-error by label"]["feasible"] is True
    assert told["bounded-error"]["feasible"] is False
    assert told["bounded-cost, infeasible"]["feasible"] is False
    share = told["bounded-abstention, by share"]["evaluation"]["reject_rate"]
    assert share < 0.2 + 3 * (0.2 * 0.8 / 150) ** 0.5, "a limit, up to chance"
