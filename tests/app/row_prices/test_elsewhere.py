"""All that the service does with a version either takes its rows' own prices or says
why it cannot; nothing fails, and nothing takes a mean price."""

import numpy as np
import pytest

from tests.app.row_prices.payments import (
    COLUMNS,
    PRICES,
    body,
    inline,
    own_costs,
    payments,
    train,
)

NUMBERS = {**PRICES, "false_negative": 50.0}
OWN = "/models/own/versions/1"


@pytest.fixture(scope="module")
def told(server):
    """Two versions at the same prices of rows, and one at four numbers."""
    train(server, "own")
    train(server, "own", trainer={"kind": "logistic", "C": 0.1})
    train(server, "own", costs=NUMBERS)


@pytest.mark.parametrize(
    "change",
    [
        {"costs": NUMBERS},
        {"prevalence": 0.1},
        {"rule": {"kind": "expected-cost"}},
        {"max_reject_rate": 0.2},
    ],
    ids=str,
)
@pytest.mark.parametrize("call", ["preview", "reprice"])
def test_it_is_not_priced_anew(server, told, call, change):
    answer = server.http.post(f"{OWN}/{call}", json=change)
    assert answer.status_code == 409, answer.text
    assert "train again at other prices" in answer.json()["detail"]


@pytest.mark.parametrize("call", ["preview", "reprice"])
def test_no_version_is_priced_anew_by_a_column(server, told, call):
    answer = server.http.post(f"/models/own/versions/3/{call}", json={"costs": PRICES})
    assert answer.status_code == 422, answer.text
    (error,) = answer.json()["errors"]
    assert error["pointer"] == "/costs"
    assert "train with it" in error["detail"]


@pytest.mark.parametrize("form", ["python", "c", "onnx"])
def test_it_is_not_exported(server, told, form):
    answer = server.http.get(f"{OWN}/export?format={form}")
    assert answer.status_code == 409, answer.text
    assert "'amount'" in answer.json()["detail"]
    assert server.http.get("/models/own/versions/3/export?format=c").status_code == 200


def test_its_curves_show_what_it_decides(server, told):
    curves = server.http.get(f"{OWN}/curves")
    assert curves.status_code == 200, curves.text
    own = server.http.get(OWN).json()["evaluation"]
    cost = curves.json()["cost_reject"]
    point = cost["operating_point"]
    assert point["cost"] == pytest.approx(own["expected_cost"])
    assert point["reject_rate"] == pytest.approx(own["reject_rate"])
    # Nobody asked about what a person does not save at its own price: a point of the
    # curve, which is read off a grid of 101 shares.
    shares, costs = (np.array(cost[name]) for name in ("reject_rate", "cost"))
    order = np.argsort(shares)
    near = np.interp(point["reject_rate"], shares[order], costs[order])
    assert near == pytest.approx(point["cost"], rel=0.05)
    # At the far end everything goes to people, at what each row's reject costs.
    assert costs[shares == 1.0] == pytest.approx(own["constants"]["reject"])
    now = curves.json()["risk_coverage"]["operating_point"]
    assert now["coverage"] == pytest.approx(own["coverage"])
    assert now["risk"] == pytest.approx(own["selective_error"])


def test_gates_compare_versions_at_the_same_prices_of_rows(server, told):
    def move(version, **gates):
        sent = {"version": version, "gates": gates}
        return server.http.put("/models/own/aliases/live", json=sent)

    spent = [
        server.http.get(f"/models/own/versions/{v}").json()["evaluation"][
            "expected_cost"
        ]
        for v in (1, 2)
    ]
    assert move(1, max_expected_cost=spent[0]).status_code == 200
    assert move(1, max_expected_cost=0.99 * spent[0]).status_code == 409
    better = move(2, no_worse=True)
    assert better.status_code == (200 if spent[1] <= spent[0] else 409)
    assert f"{spent[1]:.6g}" in better.text
    assert f"{spent[0]:.6g}" in better.text
    assert move(3).status_code == 200
    refused = move(1, no_worse=True)
    assert refused.status_code == 409
    assert "the other has others" in refused.text


def test_the_page_of_its_report_says_what_prices_follow(server, told):
    page = server.http.get("/ui/models/own/1")
    assert page.status_code == 200, page.text
    assert "Prices follow amount" in page.text
    assert 'type="range"' not in page.text
    assert "/save" not in page.text
    tried = server.http.get("/ui/models/own/1?false_negative=7&most_a_day=3")
    assert tried.status_code == 200
    assert "Prices follow amount" in tried.text
    other = server.http.get("/ui/models/own/3").text
    assert "Prices follow" not in other
    assert 'type="range"' in other


@pytest.mark.parametrize(
    "path", ["", "/decide?model=own:1", "/models/own/monitor", "/cases"]
)
def test_the_other_pages_open(server, told, path):
    page = server.http.get(f"/ui{path}", follow_redirects=True)
    assert page.status_code == 200, (path, page.text[:500])


def test_a_case_without_an_amount_is_decided_on_the_page(server, told):
    sent = {"c0": "", "c1": "true", "c2": "3"}
    here = {"origin": str(server.http.base_url).rstrip("/")}
    page = server.http.post("/ui/decide?model=own:1", data=sent, headers=here)
    assert page.status_code == 200, page.text[:500]
    assert "a price is missing" in page.text


def test_prices_of_people_are_proposed_for_four_numbers_only(server, told):
    put = server.http.put("/models/own/review", json={"minute_price": 1.0})
    assert put.status_code == 200, put.text
    asked = {"version": 1}
    answer = server.http.post("/models/own/review/prices", json=asked)
    assert answer.status_code == 409, answer.text
    server.http.delete("/models/own/review")


def test_a_column_that_is_not_named_is_read_for_its_price_alone(server):
    """Of a data set, only named columns are features; prices are read all the same."""
    rows = payments(300, seed=2)
    text = ",".join(COLUMNS) + "\n"
    text += "\n".join(",".join(map(str, row)) for row in rows) + "\n"
    made = server.http.post(
        "/datasets", content=text, headers={"content-type": "text/csv"}
    )
    assert made.status_code == 201, made.text
    data = {"kind": "dataset", "id": made.json()["id"], "columns": COLUMNS[1:]}
    told = train(server, "unticked", data=data)
    assert [one["name"] for one in told["features"]] == ["night", "age"]
    sent = {"columns": COLUMNS[:3], "rows": [row[:3] for row in rows[:30]]}
    answer = server.http.post("/predict", json={"model": "unticked", "data": sent})
    assert answer.status_code == 200, answer.text
    for row, one in zip(rows, answer.json()["predictions"], strict=False):
        expected = own_costs([row[0]]).expected([one["probability"]])[0].tolist()
        assert list(one["expected_costs"].values()) == expected
    wrong = {**PRICES, "false_negative": {"column": "sum"}}
    refused = server.http.post("/train", json=body("no", data=data, costs=wrong))
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/costs/false_negative/column"


def test_another_share_of_frauds_is_taken_at_the_rows_own_prices(server, told):
    told = train(server, "rarer", prevalence=0.05)
    rows = payments(40, seed=8)
    sent = {"columns": COLUMNS[:3], "rows": [row[:3] for row in rows]}
    answer = server.http.post("/predict", json={"model": "rarer", "data": sent}).json()
    for row, one in zip(rows, answer["predictions"], strict=True):
        costs = own_costs([row[0]])
        decided = {1: "+1", -1: "-1", 0: "reject"}[
            costs.decide([one["probability"]])[0]
        ]
        assert one["decision"] == decided
    assert told["evaluation"]["share_positive"] == pytest.approx(0.05)
    again = server.http.post(
        "/models/rarer/versions/1/evaluate",
        json={"data": inline(payments(80, seed=9)), "prevalence": 0.05},
    )
    assert again.status_code == 200, again.text
