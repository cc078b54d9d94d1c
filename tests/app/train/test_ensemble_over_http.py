"""Ensembles and random trees over HTTP: trained, told, asked and priced anew."""

import pytest

from tests.app.pima_like import PRICES, inline, patients, predict, train

MEMBERS = [
    {"kind": "svm", "C": 3},
    {"kind": "extra-trees", "n_trees": 20},
    {"kind": "forest", "n_trees": 20},
    {"kind": "logistic"},
    {"kind": "gradient-boosting", "n_rounds": 20},
]
ASKED = {
    "members": {"kind": "ensemble", "members": MEMBERS},
    "auto": {"kind": "auto", "budget_seconds": 0.01},
    "extra-trees": {"kind": "extra-trees", "n_trees": 20},
    "forest": {"kind": "forest", "n_trees": 20, "max_features": 0.5},
}
ROWS = [row[:-1] for row in patients(40, seed=9)]
DEARER = {**PRICES, "false_negative": 9.0}


@pytest.fixture(scope="module")
def told(server):
    """What the versions say."""
    return {name: train(server, name, trainer=one) for name, one in ASKED.items()}


@pytest.mark.parametrize("name", ASKED)
def test_a_row_alone_has_the_answer_that_it_has_among_many(server, told, name):
    many = predict(server, name, ROWS)["predictions"]
    alone = [predict(server, name, [row])["predictions"][0] for row in ROWS[:10]]
    assert alone == many[:10]
    assert {one["decision"] for one in many} <= {"+1", "-1", "reject"}


def test_the_version_tells_what_became_of_each_member(told):
    lines = told["members"]["members"]
    assert len(lines) == len(MEMBERS)
    assert sum(line["weight"] for line in lines) == pytest.approx(1.0)
    assert {line["member"] for line in lines} >= {"svm C=3.0", "extra-trees n_trees=20"}
    assert all((line["weight"] > 0) is (line["dropped"] is None) for line in lines)
    assert told["members"]["evaluation"]["rows"] == 80
    assert set(told["members"]["influence"]) == {"plas", "mass", "age", "ward"}
    late = [line["dropped"] == "out of time" for line in told["auto"]["members"]]
    assert sum(late) == len(late) - 1
    assert any("want of time" in text for text in told["auto"]["warnings"])


def test_prices_change_without_a_training(server, told):
    address = "/models/members/versions/1"
    shown = server.http.post(f"{address}/preview", json={"costs": DEARER})
    assert shown.status_code == 200, shown.text
    again = server.http.post(f"{address}/evaluate", json={"data": inline(patients(60))})
    assert again.status_code == 200, again.text
    made = server.http.post(f"{address}/reprice", json={"costs": DEARER})
    assert made.status_code in {200, 201}, made.text
    before = predict(server, "members:1", ROWS)["predictions"]
    after = predict(server, "members:2", ROWS)["predictions"]
    for one, other in zip(before, after, strict=True):
        assert one["probability"] == other["probability"]


def test_a_promise_is_counted_on_rows_that_chose_neither_members_nor_weights(server):
    rule = {"kind": "bounded-error", "max_error": 0.45}
    version = train(server, "kept", trainer=ASKED["members"], rule=rule, costs=None)
    assert version["rule"]["kind"] == "bounded-error"
    assert version["training_rows"] < 320


@pytest.mark.parametrize(
    ("trainer", "pointer", "words"),
    [
        ({"kind": "ensemble", "members": []}, "/trainer/members", "not be empty"),
        (
            {"kind": "ensemble", "members": [{"kind": "logistic"}] * 2},
            "/trainer/members",
            "list each one once",
        ),
        (
            {"kind": "ensemble", "members": [{"kind": "p-svm"}]},
            "/trainer/members/0/kind",
            "available",
        ),
        ({"kind": "auto", "budget_seconds": 0}, "/trainer/budget_seconds", "0.001"),
    ],
)
def test_what_cannot_be_is_refused_at_its_place(server, trainer, pointer, words):
    body = {
        "model": "refused",
        "trainer": trainer,
        "costs": PRICES,
        "data": inline(patients(40)),
        "target": {"column": "diabetes", "positive": "yes"},
    }
    answer = server.http.post("/train", json=body)
    assert answer.status_code == 422
    faults = {one["pointer"]: one["detail"] for one in answer.json()["errors"]}
    assert words in faults.get(pointer, ""), faults
