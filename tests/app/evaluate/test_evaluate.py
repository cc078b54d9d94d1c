"""Versions evaluated on newly labelled rows, on the real service."""

import csv
import io

import numpy as np
import pytest

from solvers.costs import CostMatrix
from tests.app.pima_like import (
    COLUMNS,
    FEATURES,
    PRICES,
    inline,
    patients,
    predict,
    train,
)

NEW = patients(160, seed=5)
CODES = {"+1": 1, "-1": -1, "reject": 0}


def ask(server, name="model", number=1, **body):
    address = f"/models/{name}/versions/{number}/evaluate"
    return server.http.post(address, json={"data": inline(NEW), **body})


def evaluated(server, name="model", number=1, **body):
    answer = ask(server, name, number, **body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def decisions(server, name, rows):
    answer = predict(server, name, [row[:4] for row in rows])
    return np.array([CODES[one["decision"]] for one in answer["predictions"]])


@pytest.fixture(scope="module", autouse=True)
def model(server):
    """A double hinge with a guard on."""
    return train(server, "model", guards={"outlier": True})


@pytest.fixture(scope="module")
def promised(server):
    """A promise of at most 30 % errors."""
    told = train(
        server,
        "promised",
        trainer={"kind": "svm"},
        rule={"kind": "bounded-error", "max_error": 0.3},
        data=inline(patients(900)),
        evaluation={"calibration": 0.3, "holdout": 0.2},
    )
    assert told["feasible"] is True, told["promise"]
    return told


def test_the_figures_are_those_of_the_decisions_that_predict_takes(server, model):
    told = evaluated(server)
    taken = decisions(server, "model", NEW)
    truth = np.array([1 if row[-1] == "yes" else -1 for row in NEW])
    figures = told["evaluation"]
    spent = CostMatrix(**PRICES).of_decisions(truth, taken)
    assert figures["expected_cost"] == pytest.approx(spent.mean())
    assert figures["reject_rate"] == pytest.approx(np.mean(taken == 0))
    assert figures["rows"] == told["rows"] == len(NEW)
    assert set(model["evaluation"]) - {"holdout", "seed", "order_by"} <= {
        *figures,
        "reduction",
    }
    assert told["training"] == model["evaluation"]
    cost = told["compared"]["expected_cost"]
    assert cost["training"] == model["evaluation"]["expected_cost"]
    assert cost["here"] == figures["expected_cost"]
    assert cost["interval"] == figures["intervals"]["expected_cost"]
    assert cost["differs"] is False
    assert told["promise"] is None


def test_rows_of_another_world_differ_from_training(server):
    turned = [[*row[:-1], "no" if row[-1] == "yes" else "yes"] for row in NEW]
    told = evaluated(server, data=inline(turned))
    assert told["compared"]["expected_cost"]["differs"] is True
    assert told["evaluation"]["beats_constant"] is False
    assert any("no better than a constant" in text for text in told["warnings"])


def test_rows_of_a_group_are_one_draw(server):
    columns = ["patient", *COLUMNS]
    eight = [[f"p{i}", *row] for i, row in enumerate(NEW[:40]) for _ in range(8)]
    alone = evaluated(server, data=inline(eight, columns), extra_columns="ignore")
    whole = evaluated(server, data=inline(eight, columns), groups="patient")
    widths = [
        np.ptp(told["evaluation"]["intervals"]["expected_cost"])
        for told in (alone, whole)
    ]
    assert widths[1] > 1.5 * widths[0]
    answer = ask(server, groups="patient")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/groups"


def test_what_training_never_saw_is_counted(server):
    strange = [
        [*row[:3], "moon", row[-1]] if i < 7 else row for i, row in enumerate(NEW)
    ]
    (said,) = [
        text
        for text in evaluated(server, data=inline(strange))["warnings"]
        if text.startswith("unseen_category: ward")
    ]
    assert said.endswith("(rows: 7)")


def test_the_held_out_share_of_positives_can_be_corrected(server):
    told = evaluated(server, prevalence=0.05)
    assert told["prevalence"] == 0.05
    assert told["evaluation"]["share_positive"] == pytest.approx(0.05)
    confusion = told["evaluation"]["confusion"]
    total = sum(sum(row.values()) for row in confusion.values())
    assert sum(confusion["+1"].values()) == pytest.approx(0.05 * total)


def test_a_promise_is_held_against_the_rows_by_exact_counts(server, promised):
    kept = evaluated(server, "promised", data=inline(patients(600, seed=11)))["promise"]
    assert kept["sentence"] == promised["promise"]
    group = kept["groups"]["all"]
    assert kept["status"] in {"holds", "open"}
    assert group["interval"][0] <= group["error"] <= group["interval"][1]
    turned = [[*row[:-1], "no" if row[-1] == "yes" else "yes"] for row in NEW]
    broken = evaluated(server, "promised", data=inline(turned))["promise"]
    assert (broken["status"], broken["holds"]) == ("broken", False)
    few = evaluated(server, "promised", data=inline(NEW[:8]))["promise"]
    assert (few["status"], few["holds"]) == ("open", None)
    unasked = evaluated(server, "promised", prevalence=0.1)["promise"]
    assert unasked["status"] == "not checked"


def test_a_bound_on_the_cost_is_checked_too(server):
    even = {**PRICES, "false_negative": 1.0, "reject_positive": 0.3}
    told = train(
        server,
        "cost",
        trainer={"kind": "svm"},
        costs=even,
        rule={"kind": "bounded-cost", "max_cost": 0.32},
        data=inline(patients(900)),
        evaluation={"calibration": 0.4, "holdout": 0.2},
    )
    assert told["feasible"] is True, told["promise"]
    turned = [[*row[:-1], "no" if row[-1] == "yes" else "yes"] for row in patients(600)]
    broken = evaluated(server, "cost", data=inline(turned))["promise"]
    assert broken["status"] == "broken"
    assert broken["groups"]["cost"]["mean_cost"] > 0.32
    kept = evaluated(server, "cost", data=inline(patients(3000, seed=2)))["promise"]
    assert kept["status"] in {"holds", "open"}


def test_a_data_set_is_evaluated_like_the_same_rows_inline(server):
    text = io.StringIO()
    extra = [[f"p{i}", *row] for i, row in enumerate(NEW)]
    csv.writer(text).writerows([["patient", *COLUMNS], *extra])
    stored = server.http.post(
        "/datasets", content=text.getvalue(), headers={"content-type": "text/csv"}
    )
    assert stored.status_code == 201, stored.text
    data = {"kind": "dataset", "id": stored.json()["id"]}
    assert evaluated(server, data=data) == evaluated(server)
    other = {"kind": "dataset", "id": "0" * 36}
    answer = ask(server, data=other)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/data/id"


@pytest.mark.parametrize(
    ("body", "pointer", "words"),
    [
        ({"data": inline([[1.0, "yes"]], ["plas", "diabetes"])}, "/data/columns", "mi"),
        (
            {"data": inline([["a", *row] for row in NEW], ["patient", *COLUMNS])},
            "/data/columns/0",
            "no such column",
        ),
        (
            {"data": inline([["x", *row[1:]] for row in NEW])},
            "/data/columns",
            "takes it as numeric",
        ),
        (
            {"data": inline([[*row[:-1], "maybe"] for row in NEW])},
            "/data/rows/0/4",
            "two labels",
        ),
        (
            {"data": inline([[*row[:-1], None] for row in NEW])},
            "/data/rows/0/4",
            "two labels",
        ),
        (
            {"target": {"column": "diabetes", "positive": "no"}},
            "/target/positive",
            "another label",
        ),
        ({"target": {"column": "x", "positive": "yes"}}, "/target/column", "no such"),
        (
            {"data": inline([NEW[0]]), "prevalence": 0.1},
            "/prevalence",
            "one class only",
        ),
        ({"data": inline([])}, "/data/rows", "no rows"),
        ({"costs": PRICES}, "/costs", "leave it out"),
        ({"data": {"kind": "file"}}, "/data/kind", "available"),
    ],
)
def test_a_refusal_names_the_place(server, body, pointer, words):
    answer = ask(server, **body)
    assert answer.status_code == 422, answer.text
    told = answer.json()["errors"]
    assert [fault for fault in told if fault["pointer"] == pointer], told
    assert any(words in fault["detail"] for fault in told), told


def test_columns_in_another_order_missing_values_and_ids_are_fine(server):
    plain = evaluated(server)["evaluation"]
    turned = inline([row[::-1] for row in NEW], COLUMNS[::-1])
    assert evaluated(server, data=turned)["evaluation"] == plain
    ids = inline([["a", *row] for row in NEW], ["patient", *COLUMNS])
    told = evaluated(server, data=ids, extra_columns="ignore")
    assert told["evaluation"] == plain
    nothing = inline([[None] * 4 + [row[-1]] for row in NEW])
    assert evaluated(server, data=nothing)["rows"] == len(NEW)
    assert COLUMNS[:4] == FEATURES


def test_weights_count_and_what_is_not_there_is_told(server):
    doubled = evaluated(server, data=inline([*NEW, *NEW[:50]]))["evaluation"]
    weighted = evaluated(
        server,
        data=inline(
            [[*row, 2.0 if i < 50 else 1.0] for i, row in enumerate(NEW)],
            [*COLUMNS, "w"],
        ),
        target={"column": "diabetes", "positive": "yes", "weight": "w"},
    )["evaluation"]
    for name in ("expected_cost", "error_rate", "reject_rate", "brier_score"):
        assert weighted[name] == pytest.approx(doubled[name])
    assert ask(server, "none").status_code == 404
    assert ask(server, number=7).status_code == 404
    address = "/models/model/versions/1/evaluate"
    assert (
        server.http.post(
            address, content=b"{", headers={"content-type": "application/json"}
        ).status_code
        == 400
    )
