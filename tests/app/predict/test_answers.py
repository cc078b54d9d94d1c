"""POST /predict, asked over HTTP: decisions, prices, warnings and rows in order."""

import json

import jsonschema_rs
import numpy as np
import pytest

from app.features.encoding import encode_table
from app.features.table import Table
from app.predict.openapi import ANSWER_SCHEMA
from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.rules.band import Band
from tests.app.predict.conftest import COLUMNS, COSTS, served, training_rows

CHOW = {
    "kind": "chow",
    **Band(COSTS.p_minus, COSTS.p_plus, on="probability").payload(),
}
ROWS = training_rows(60, seed=5)
INSTANCES = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]


@pytest.fixture(scope="module")
def client(serve):
    running, registry = serve()
    registry.add("pima", served())
    registry.add("chow", served(CHOW))
    registry.add("free", served(costs=None, labels=(1, 0)))
    registry.add("flat", served(numeric_only=True, labels=(True, False)))
    registry.add(
        "own-link",
        served(
            {"kind": "plug-in", **Band(-0.5, 0.5).payload(), "slope": 2.0},
            calibration=Calibration.link(2.0),
        ),
    )
    return running.http


def ask(client, model, instances=INSTANCES, **more):
    answer = client.post(
        "/predict", json={"model": model, "instances": instances, **more}
    )
    assert answer.status_code == 200, answer.text
    body = answer.json()
    jsonschema_rs.validate(ANSWER_SCHEMA, body)
    return body


@pytest.mark.parametrize("model", ["pima", "chow", "own-link"])
def test_decisions_follow_from_value_and_thresholds(client, model):
    body = ask(client, model)
    lower, upper = body["thresholds"]["lower"], body["thresholds"]["upper"]
    seen = set()
    for row in body["predictions"]:
        value = row[body["thresholds"]["on"]]
        wanted = "+1" if value > upper else "-1" if value < lower else "reject"
        assert row["decision"] == wanted
        assert row["label"] == {"+1": "yes", "-1": "no", "reject": None}[wanted]
        assert row["reason"] == ("ambiguous" if wanted == "reject" else None)
        assert row["distances"] == {"lower": value - lower, "upper": value - upper}
        seen.add(wanted)
    assert seen == {"+1", "-1", "reject"}


def test_scores_and_probabilities_are_those_of_the_model(client):
    model = served()
    matrix = encode_table(model.features, Table.from_rows(COLUMNS, ROWS)).matrix
    judged = model.judge(matrix)
    rows = ask(client, "pima")["predictions"]
    assert [row["score"] for row in rows] == judged.scores.tolist()
    assert [row["probability"] for row in rows] == judged.probabilities.tolist()


def test_expected_costs_are_the_formula_at_the_answered_probability(client):
    body = ask(client, "pima")
    assert body["costs"] == {
        "false_positive": 1.0,
        "false_negative": 5.0,
        "reject_positive": 0.6,
        "reject_negative": 0.3,
    }
    for row in body["predictions"]:
        expected = COSTS.expected(row["probability"])
        told = row["expected_costs"]
        np.testing.assert_allclose(
            [told["+1"], told["-1"], told["reject"]], expected, rtol=0, atol=1e-12
        )
        assert row["expected_cost"] == told[row["decision"]]
        cheaper = "yes" if told["+1"] <= told["-1"] else "no"
        assert row["would_be"] == (row["label"] or cheaper)


def test_a_rule_against_the_probability_is_warned_about(client):
    warned = 0
    for row in ask(client, "pima")["predictions"]:
        gap = row["expected_cost"] - min(row["expected_costs"].values())
        kinds = [warning.split(":")[0] for warning in row["warnings"]]
        assert ("not_cheapest" in kinds) == (gap > 1e-9)
        warned += gap > 1e-9
    assert 0 < warned < len(ROWS)
    for row in ask(client, "chow")["predictions"]:
        assert row["warnings"] == []


def test_the_summary_counts_the_rows(client):
    body = ask(client, "pima")
    rejected = sum(row["decision"] == "reject" for row in body["predictions"])
    mean = np.mean([row["expected_cost"] for row in body["predictions"]])
    assert body["summary"]["n"] == len(ROWS)
    assert body["summary"]["rejected"] == rejected
    assert body["summary"]["accepted"] == len(ROWS) - rejected
    assert body["summary"]["expected_cost"] == pytest.approx(mean, abs=1e-12)


def test_without_costs_nothing_is_priced(client):
    body = ask(client, "free")
    assert body["costs"] is None
    assert body["summary"]["expected_cost"] is None
    for row in body["predictions"]:
        assert row["expected_cost"] is None
        assert row["expected_costs"] is None
        assert row["label"] in ({"+1": 1, "-1": 0}.get(row["decision"]), None)
        assert (
            row["would_be"] == (1 if row["probability"] >= 0.5 else 0)
            or row["label"] is not None
        )


def test_labels_keep_their_type(client):
    labels = {
        json.dumps(row["label"])
        for row in ask(
            client, "flat", [{"glucose": row[0], "bmi": row[1]} for row in ROWS]
        )["predictions"]
    }
    assert labels <= {"true", "false", "null"}
    assert len(labels) > 1


def test_no_rows_are_answered_by_none(client):
    for body in (
        ask(client, "pima", []),
        client.post(
            "/predict",
            json={"model": "pima", "data": {"columns": COLUMNS, "rows": []}},
        ).json(),
    ):
        assert body["predictions"] == []
        assert body["summary"] == {
            "n": 0,
            "accepted": 0,
            "rejected": 0,
            "expected_cost": None,
        }


def test_a_row_gets_the_same_answer_alone_as_in_any_batch(client):
    together = ask(client, "pima", INSTANCES * 40)["predictions"]  # answered in parts
    few = ask(client, "pima")["predictions"]
    assert together == few * 40
    for i in (0, 17, 59):
        assert ask(client, "pima", [INSTANCES[i]])["predictions"] == [few[i]]


def test_the_order_of_keys_and_columns_does_not_matter(client):
    expected = ask(client, "pima")["predictions"]
    turned = [dict(reversed(row.items())) for row in INSTANCES]
    assert ask(client, "pima", turned)["predictions"] == expected
    for order in ([0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]):
        data = {
            "columns": [COLUMNS[j] for j in order],
            "rows": [[row[j] for j in order] for row in ROWS],
        }
        answer = client.post("/predict", json={"model": "pima", "data": data})
        assert answer.json()["predictions"] == expected


def test_extra_columns_are_passed_over_on_request(client):
    expected = ask(client, "pima")["predictions"]
    more = [{"id": {"any": ["thing"]}, **row} for row in INSTANCES]
    assert ask(client, "pima", more, extra_columns="ignore")["predictions"] == expected
    data = {"columns": ["id", *COLUMNS], "rows": [["x", *row] for row in ROWS]}
    answer = client.post(
        "/predict", json={"model": "pima", "data": data, "extra_columns": "ignore"}
    )
    assert answer.json()["predictions"] == expected


def test_what_training_never_saw_is_answered_with_a_warning(client):
    row = {**INSTANCES[1], "town": "Atlantis", "glucose": None}
    odd, plain = ask(client, "pima", [row, INSTANCES[1]])["predictions"]
    kinds = [warning.split(":")[0] for warning in odd["warnings"]]
    assert {"unseen_category", "missing_value"} <= set(kinds)
    assert "Atlantis" not in json.dumps(odd)
    assert "unseen_category" not in json.dumps(plain)
    # bmi was missing in training, so a null there is nothing new
    (usual,) = ask(client, "chow", [{**INSTANCES[1], "bmi": None}])["predictions"]
    assert usual["warnings"] == []


def test_costs_of_the_request_move_thresholds_that_follow_from_costs(client):
    cheap = {
        "false_positive": 1,
        "false_negative": 1,
        "reject_positive": 0.1,
        "reject_negative": 0.1,
    }
    matrix = CostMatrix(1.0, 1.0, 0.1, 0.1)
    body = ask(client, "chow", costs=cheap)
    assert body["costs"] == {name: float(value) for name, value in cheap.items()}
    assert body["thresholds"]["lower"] == matrix.p_minus
    for row in body["predictions"]:
        assert row["warnings"] == []  # the chow rule is the cheapest by definition
        assert row["expected_cost"] == min(row["expected_costs"].values())
    own = ask(client, "own-link", costs=cheap)["thresholds"]
    assert own["upper"] == matrix.thresholds[1] / 2.0
    # The next request has the trained costs again.
    assert ask(client, "chow")["costs"]["false_negative"] == 5.0


def test_versions_and_names(client, serve):
    running, registry = serve()
    own = running.http
    registry.add("two", served(seed=1))
    first = ask(own, "two")
    registry.add("two", served(seed=2))
    assert ask(own, "two:1")["predictions"] == first["predictions"]
    second = ask(own, "two:2")
    assert second["model"] == {"name": "two", "version": 2}
    assert second["predictions"] != first["predictions"]


def test_answers_are_counted(client):
    before = _counted(client)
    body = ask(client, "pima")
    after = _counted(client)
    for decision in ("+1", "-1", "reject"):
        rows = sum(row["decision"] == decision for row in body["predictions"])
        assert after.get(decision, 0) - before.get(decision, 0) == rows


def _counted(client):
    counts = {}
    for line in client.get("/metrics").text.splitlines():
        if line.startswith("demur_predictions_total") and 'model="pima"' in line:
            decision = line.split('decision="')[1].split('"')[0]
            counts.setdefault(decision, 0.0)
            counts[decision] += float(line.rsplit(" ", 1)[1])
    return counts
