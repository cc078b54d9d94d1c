"""Prices that follow a column, over HTTP: trained, evaluated, decided row by row."""

import numpy as np
import pytest

from solvers import RowCosts, metrics
from tests.app.row_prices.payments import (
    COLUMNS,
    FEATURES,
    PRICES,
    inline,
    own_costs,
    payments,
    train,
)

NEW = payments(60, seed=5)
CALLED = {"+1": 1, "-1": -1, "reject": 0}
TRAINERS = {
    "logistic": {"kind": "logistic"},
    "svm": {"kind": "svm"},
    "double-hinge-svm": {"kind": "double-hinge-svm"},
    "p-svm": {"kind": "p-svm"},
    "multi-hinge-svm": {"kind": "multi-hinge-svm"},
    "gradient-boosting": {"kind": "gradient-boosting", "n_rounds": 20},
    "adaboost": {"kind": "adaboost", "n_rounds": 20},
    "forest": {"kind": "forest", "n_trees": 20},
    "extra-trees": {"kind": "extra-trees", "n_trees": 20},
    "auto": {"kind": "auto", "budget_seconds": 0.01},
}


@pytest.fixture(scope="module")
def told(server):
    """What the versions say, by trainer."""
    return {name: train(server, name, trainer=one) for name, one in TRAINERS.items()}


def predict(server, model, rows, **more):
    data = {"columns": FEATURES, "rows": [row[:3] for row in rows]}
    answer = server.http.post("/predict", json={"model": model, "data": data, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def assert_decided_at(predictions, costs):
    """Each row has the expected costs and the decision of its own prices."""
    p = np.array([row["probability"] for row in predictions])
    expected = [list(row["expected_costs"].values()) for row in predictions]
    assert expected == costs.expected(p).tolist()
    decisions = [CALLED[row["decision"]] for row in predictions]
    assert decisions == costs.decide(p).tolist()
    for row in predictions:
        assert row["expected_cost"] == row["expected_costs"][row["decision"]]


@pytest.mark.parametrize("name", TRAINERS)
def test_each_row_is_decided_at_its_own_prices(server, told, name):
    answer = predict(server, name, NEW)
    costs = own_costs([row[0] for row in NEW])
    assert answer["thresholds"] is None
    assert answer["costs"] == PRICES == told[name]["costs"]
    assert told[name]["rule"]["kind"] == "chow"
    assert_decided_at(answer["predictions"], costs)
    mean = np.mean([row["expected_cost"] for row in answer["predictions"]])
    assert answer["summary"]["expected_cost"] == pytest.approx(mean)


def test_the_figures_of_an_evaluation_are_those_of_the_rows_own_prices(server, told):
    answer = server.http.post(
        "/models/logistic/versions/1/evaluate", json={"data": inline(NEW)}
    )
    assert answer.status_code == 200, answer.text
    found = answer.json()["evaluation"]
    truth = np.array([1 if row[3] == "fraud" else -1 for row in NEW])
    costs = own_costs([row[0] for row in NEW])
    rows = predict(server, "logistic", NEW)["predictions"]
    decided = np.array([CALLED[row["decision"]] for row in rows])
    spent = costs.of_decisions(truth, decided)
    assert found["expected_cost"] == pytest.approx(spent.mean())
    assert found["expected_cost"] == pytest.approx(
        metrics.expected_cost(truth, decided, costs)
    )
    for name, called in CALLED.items():
        alike = costs.of_decisions(truth, np.full(len(truth), called))
        assert found["constants"][name] == pytest.approx(alike.mean())
        difference = found["against_constants"][name]["difference"]
        assert difference == pytest.approx((spent - alike).mean())
        for side, sign in (("+1", 1), ("-1", -1)):
            cell = (truth == sign) & (decided == called)
            assert found["confusion"][side][name] == cell.sum()
            assert found["confusion_costs"][side][name] == pytest.approx(
                spent[cell].sum()
            )
    low, high = found["intervals"]["expected_cost"]
    assert low < found["expected_cost"] < high


def test_a_training_counts_its_held_out_rows_at_their_own_prices(server):
    """By the calendar: the last fifth of the rows is held out."""
    rows = [[*row, day] for day, row in enumerate(payments(300, seed=3))]
    told = train(
        server,
        "calendar",
        data=inline(rows, [*COLUMNS, "day"]),
        evaluation={"order_by": "day"},
    )["evaluation"]
    held = rows[-told["rows"] :]
    decided = [
        CALLED[row["decision"]]
        for row in predict(server, "calendar", held)["predictions"]
    ]
    truth = [1 if row[3] == "fraud" else -1 for row in held]
    costs = own_costs([row[0] for row in held])
    spent = costs.of_decisions(truth, decided)
    assert told["expected_cost"] == pytest.approx(spent.mean())
    assert sum(
        cell for row in told["confusion_costs"].values() for cell in row.values()
    ) == pytest.approx(spent.sum())


@pytest.mark.parametrize("amount", [None, 0, -5.0, 1e300])
def test_a_row_without_a_price_is_asked_about_and_never_guessed(server, told, amount):
    known, lacking = NEW[0], [amount, *NEW[1][1:]]
    one, other = predict(server, "logistic", [known, lacking])["predictions"]
    assert one == predict(server, "logistic", [known])["predictions"][0]
    assert other == predict(server, "logistic", [lacking])["predictions"][0]
    assert other["decision"] == "reject"
    assert other["reason"] == "missing_price"
    assert other["label"] is other["expected_cost"] is other["expected_costs"] is None
    answer = predict(server, "logistic", [known, lacking])
    assert answer["summary"]["expected_cost"] == one["expected_cost"]
    alone = predict(server, "logistic", [lacking])
    assert alone["summary"]["expected_cost"] is None


def test_a_request_brings_prices_of_its_own(server, told):
    numbers = {
        "false_positive": 1.0,
        "false_negative": 5.0,
        "reject_positive": 0.6,
        "reject_negative": 0.3,
    }
    same = predict(server, "logistic", NEW, costs=numbers)
    assert same["costs"] == numbers
    assert set(same["thresholds"]) >= {"lower", "upper"}
    n = len(NEW)
    assert_decided_at(same["predictions"], RowCosts(np.full(n, 1.0), 5.0, 0.6, 0.3))
    other = {**PRICES, "reject_positive": {"column": "amount", "times": 0.01}}
    answer = predict(server, "logistic", NEW, costs=other)
    amounts = np.array([row[0] for row in NEW])
    costs = RowCosts(20.0, 0.8 * amounts, 0.01 * amounts, 4.0)
    assert answer["costs"] == other
    assert_decided_at(answer["predictions"], costs)
    bare = {**PRICES, "false_negative": {"column": "amount"}}
    answer = predict(server, "logistic", NEW, costs=bare)
    assert_decided_at(answer["predictions"], RowCosts(20.0, amounts, 4.0, 4.0))


def test_a_model_of_four_numbers_is_asked_at_prices_of_rows(server, told):
    numbers = {**PRICES, "false_negative": 50.0}
    train(server, "numbers", costs=numbers)
    answer = predict(server, "numbers", NEW, costs=PRICES)
    assert_decided_at(answer["predictions"], own_costs([row[0] for row in NEW]))
    train(server, "roc", costs=numbers, rule={"kind": "expected-cost"})
    data = {"columns": FEATURES, "rows": [NEW[0][:3]]}
    sent = {"model": "roc", "data": data, "costs": PRICES}
    refused = server.http.post("/predict", json=sent)
    assert refused.status_code == 422
    assert "expected-cost rule" in refused.json()["errors"][0]["detail"]


@pytest.mark.parametrize(
    ("column", "times"),
    [("night", 1), ("nothing", 1), ("kind", 1), ("amount", 0), ("amount", -1)],
)
def test_prices_of_a_request_that_the_model_cannot_read_are_refused(
    server, told, column, times
):
    costs = {**PRICES, "false_negative": {"column": column, "times": times}}
    data = {"columns": FEATURES, "rows": [NEW[0][:3]]}
    sent = {"model": "logistic", "data": data, "costs": costs}
    refused = server.http.post("/predict", json=sent)
    assert refused.status_code == 422, refused.text
    (error,) = refused.json()["errors"]
    assert error["pointer"].startswith("/costs/false_negative")
    assert ("from 1e-12" if times < 1 else repr(column)) in error["detail"]


def test_a_price_of_given_scores_is_no_feature_and_is_sent_with_the_row(server):
    """A model of somebody else's probability reads the amount for its price alone."""
    draw = np.random.default_rng(4)
    rows = [
        [
            float(p),
            float(draw.lognormal(3, 1)),
            "fraud" if draw.random() < p else "fine",
        ]
        for p in draw.random(300)
    ]
    columns = ["p", "amount", "kind"]
    told = train(
        server,
        "given",
        trainer={"kind": "scores", "column": "p", "scale": "probability"},
        data=inline(rows, columns),
    )
    assert [one["name"] for one in told["features"]] == ["p"]
    assert not any("left out" in text for text in told["warnings"])
    sent = [{"p": row[0], "amount": row[1]} for row in rows[:40]]
    answer = server.http.post("/predict", json={"model": "given", "instances": sent})
    assert answer.status_code == 200, answer.text
    found = answer.json()["predictions"]
    assert_decided_at(found, own_costs([row["amount"] for row in sent]))
    alone = server.http.post("/predict", json={"model": "given", "instances": sent[:1]})
    assert alone.json()["predictions"] == found[:1]
    constant = {**PRICES, "false_negative": 30.0}
    priced = {"model": "given", "instances": sent[:1], "costs": constant}
    answer = server.http.post("/predict", json=priced).json()["predictions"]
    assert_decided_at(answer, RowCosts(20.0, [30.0], 4.0, 4.0))
    without = [{"p": row["p"]} for row in sent]
    refused = server.http.post(
        "/predict", json={"model": "given", "instances": without}
    )
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["column"] == "amount"
    again = server.http.post(
        "/models/given/versions/1/evaluate", json={"data": inline(rows, columns)}
    )
    assert again.status_code == 200, again.text


def test_an_evaluation_needs_every_price(server, told):
    rows = [list(row) for row in NEW]
    rows[7][0] = None
    refused = server.http.post(
        "/models/logistic/versions/1/evaluate", json={"data": inline(rows)}
    )
    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert error["row"] == 7
    assert error["column"] == "amount"
    assert "'amount'" in error["detail"]
