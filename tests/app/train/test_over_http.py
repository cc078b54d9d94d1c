"""Trainings of the real service over HTTP, on tables like the Pima diabetes data."""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from solvers.costs import CostMatrix

PRICES = {
    "false_positive": 1,
    "false_negative": 5,
    "reject_positive": 0.6,
    "reject_negative": 0.3,
}
COSTS = CostMatrix(**PRICES)
CODES = {"+1": 1, "-1": -1, "reject": 0}
COLUMNS = ["preg", "plas", "pres", "skin", "insu", "mass", "pedi", "age"]


def synthetic():
    """768 women, a third diabetic: glucose, mass and age tell most, none tells all."""
    generator = np.random.default_rng(7)
    n = 768
    noise = generator.normal(size=(n, 8))
    sick = generator.random(n) < 0.35
    shift = np.array([0.4, 1.0, 0.1, 0.15, 0.25, 0.6, 0.35, 0.5])
    spread = np.array([3.4, 30, 12, 10, 115, 6.9, 0.33, 11.8])
    center = np.array([3.8, 121, 72, 29, 156, 32.5, 0.47, 33])
    values = center + spread * (noise + np.outer(sick - 0.35, shift))
    return values.round(3).tolist(), [1 if one else -1 for one in sick]


def pima():
    folder = os.environ.get("DEMUR_DATA_FOLDER")
    if folder is None:
        pytest.skip("DEMUR_DATA_FOLDER names no folder with pima.csv.gz")
    with gzip.open(Path(folder) / "pima.csv.gz", "rt") as file:
        _, *lines = csv.reader(file)
    return [list(map(float, line[:-1])) for line in lines], [int(x[-1]) for x in lines]


@pytest.fixture(scope="module", params=[synthetic, pima], ids=["synthetic", "pima"])
def trained(request, server):
    """A model of 600 rows, its 168 others, and what it says of them."""
    rows, labels = request.param()
    order = np.random.default_rng(0).permutation(len(rows))
    train, test = order[:600], order[600:]
    name = request.param.__name__
    job = server.train(
        {
            "model": name,
            "trainer": {"kind": "double-hinge-svm"},
            "rule": {"kind": "plug-in"},
            "costs": PRICES,
            "data": {
                "kind": "inline",
                "columns": [*COLUMNS, "diabetes"],
                "rows": [[*rows[i], "yes" if labels[i] > 0 else "no"] for i in train],
            },
            "target": {"column": "diabetes", "positive": "yes"},
        }
    )
    assert job["status"] == "succeeded", job
    unseen = [rows[i] for i in test]
    answer = ask(server, name, COLUMNS, unseen)
    return name, unseen, np.array([labels[i] for i in test]), answer


def ask(server, model, columns, rows):
    response = server.http.post(
        "/predict", json={"model": model, "data": {"columns": columns, "rows": rows}}
    )
    assert response.status_code == 200, response.text
    return response.json()


def test_decisions_cost_less_than_the_best_constant(trained):
    _, _, truth, answer = trained
    decisions = np.array([CODES[one["decision"]] for one in answer["predictions"]])
    mean = COSTS.of_decisions(truth, decisions).mean()
    constants = [COSTS.of_decisions(truth, np.full(168, c)).mean() for c in (1, -1, 0)]
    assert len(truth) == 168
    assert mean < min(constants)


def test_decisions_follow_from_score_and_thresholds(trained):
    _, _, _, answer = trained
    lower, upper = answer["thresholds"]["lower"], answer["thresholds"]["upper"]
    assert (lower, upper) == pytest.approx(COSTS.thresholds, rel=1e-12)
    for one in answer["predictions"]:
        expected = (
            "+1" if one["score"] > upper else "-1" if one["score"] < lower else "reject"
        )
        assert one["decision"] == expected


def test_expected_costs_are_the_formula_at_the_probability(trained):
    _, _, _, answer = trained
    for one in answer["predictions"]:
        p = one["probability"]
        costs = {"+1": (1 - p) * 1, "-1": p * 5, "reject": p * 0.6 + (1 - p) * 0.3}
        assert one["expected_costs"] == pytest.approx(costs, abs=1e-9)
        assert one["expected_cost"] == pytest.approx(costs[one["decision"]], abs=1e-9)


def test_the_order_of_columns_does_not_matter(trained, server):
    name, unseen, _, answer = trained
    turned = [row[::-1] for row in unseen]
    assert (
        ask(server, name, COLUMNS[::-1], turned)["predictions"] == answer["predictions"]
    )


def test_the_evaluation_of_the_version_is_complete(trained, server):
    name, *_ = trained
    version = server.http.get(f"/models/{name}/versions/1").json()
    figures = version["evaluation"]
    assert figures["rows"] == 120
    counts = [n for cells in figures["confusion"].values() for n in cells.values()]
    assert sum(counts) == 120
    for key in ("error_rate", "reject_rate", "selective_error", "expected_cost"):
        assert 0 <= figures[key] <= 5
    assert set(figures["constants"]) == {"+1", "-1", "reject"}
    beaten = [
        against["interval"][1] < 0 for against in figures["against_constants"].values()
    ]
    assert figures["beats_constant"] is all(beaten)
    assert sum(beaten) >= 2
    assert version["training_rows"] == 480
    assert version["labels"] == {"positive": "yes", "negative": "no"}
    assert version["library_versions"]["numpy"]


def test_a_refused_training_leaves_no_job(server):
    before = server.http.get("/jobs").json()["jobs"]
    refused = server.http.post("/train", json={"model": "x", "costs": {"secret": 1}})
    assert refused.status_code == 422
    assert refused.headers["content-type"].startswith("application/problem+json")
    assert {"/trainer", "/data", "/target"} <= {
        fault["pointer"] for fault in refused.json()["errors"]
    }
    assert (
        server.http.post(
            "/train",
            content=b'{"C": NaN}',
            headers={"content-type": "application/json"},
        ).status_code
        == 400
    )
    assert server.http.get("/jobs").json()["jobs"] == before


def test_the_answer_says_where_the_job_is(server):
    rows = [[i, "yes" if i % 2 else "no"] for i in range(12)]
    response = server.http.post(
        "/train",
        json={
            "model": "tiny",
            "trainer": {"kind": "svm"},
            "rule": {"kind": "chow", "reject_threshold": 0.2},
            "data": {"kind": "inline", "columns": ["x", "y"], "rows": rows},
            "target": {"column": "y", "positive": "yes"},
        },
    )
    job = response.json()
    assert response.status_code == 202
    assert response.headers["location"] == f"/jobs/{job['id']}"
    assert (job["status"], job["model"]) == ("queued", "tiny")
    assert server.await_job(job["id"])["status"] == "succeeded"


def test_a_running_training_stops_within_a_second(server):
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(6000, 10)).round(4)
    labels = np.where(rows[:, 0] + 2 * generator.normal(size=6000) > 0, "yes", "no")
    job = server.train(
        {
            "model": "long",
            "trainer": {
                "kind": "svm",
                "C": 1e4,
                "tol": 1e-6,
                "solver": "decomposition",
            },
            "rule": {"kind": "chow", "reject_threshold": 0.2},
            "data": {
                "kind": "inline",
                "columns": [*(f"c{j}" for j in range(10)), "y"],
                "rows": [
                    [*r, y] for r, y in zip(rows.tolist(), labels.tolist(), strict=True)
                ],
            },
            "target": {"column": "y", "positive": "yes"},
        },
        wait=False,
    )
    server.await_progress(job["id"], "steps")
    assert server.http.post(f"/jobs/{job['id']}/cancel").status_code == 202
    assert server.await_job(job["id"])["status"] == "cancelled"
    assert server.http.get("/models/long").status_code == 404


@pytest.mark.thorough
def test_answers_are_the_same_bits_after_a_restart(start_service):
    service = start_service()
    rows, labels = synthetic()
    job = service.train(
        {
            "model": "kept",
            "trainer": {"kind": "double-hinge-svm"},
            "costs": PRICES,
            "data": {
                "kind": "inline",
                "columns": [*COLUMNS, "y"],
                "rows": [
                    [*r, y] for r, y in zip(rows[:300], labels[:300], strict=True)
                ],
            },
            "target": {"column": "y", "positive": 1},
        }
    )
    assert job["status"] == "succeeded", job
    before = ask(service, "kept", COLUMNS, rows[300:400])
    service.stop()
    service.start()
    assert ask(service, "kept", COLUMNS, rows[300:400]) == before
