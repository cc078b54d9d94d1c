"""Explanations of stump ensembles over HTTP."""

import pytest

from tests.app.pima_like import FEATURES, predict, train
from tests.app.train.boosting_over_http.conftest import TABLE

ROWS = [row[:-1] for row in TABLE[:60]]
ROWS[3] = [None, None, None, None]
FEW = ROWS[:40]


@pytest.mark.parametrize("kind", ["abstention-boosting", "adaboost"])
def test_terms_add_up_to_the_very_score(server, models, kind):
    name = f"{kind}.chow"
    answers = predict(server, name, ROWS, explain=True)["predictions"]
    plain = predict(server, name, ROWS)["predictions"]
    for one, without in zip(answers, plain, strict=True):
        told = one.pop("explanation")
        assert one == without
        assert list(told["h"]) == FEATURES
        begin = told["intercept"]
        assert begin["h"] + sum(told["h"].values()) == one["score"]
        assert sum(reversed(told["h"].values())) == one["score"]
        if kind == "adaboost":
            assert told["r"] is told["reject_score"] is begin["r"] is None
            continue
        assert begin["r"] + sum(told["r"].values()) == told["reject_score"]
        assert all(term <= 0 for term in told["r"].values())


def test_the_reject_score_is_what_the_rule_reads(server, models):
    answers = predict(server, "abstention-boosting.embedded", ROWS, explain=True)
    rejected = [one["decision"] == "reject" for one in answers["predictions"]]
    assert 0 < sum(rejected) < len(rejected)
    for one, lost in zip(answers["predictions"], rejected, strict=True):
        assert (one["explanation"]["reject_score"] <= 0) is lost


def test_answers_in_parts_explain_alike(server, models):
    rows = ROWS * 40
    name = "abstention-boosting.chow"
    many = predict(server, name, rows, explain=True)["predictions"]
    few = predict(server, name, ROWS, explain=True)["predictions"]
    assert many == few * 40


@pytest.mark.parametrize("kind", ["abstention-trees", "gradient-boosting"])
def test_shapley_values_begin_with_a_typical_row_and_add_up(server, models, kind):
    name = f"{kind}.chow"
    answers = predict(server, name, FEW, explain=True)["predictions"]
    plain = predict(server, name, FEW)["predictions"]
    begins = {one["explanation"]["intercept"]["h"] for one in answers}
    assert len(begins) == 1, "one typical row for all"
    for one, without in zip(answers, plain, strict=True):
        told = one.pop("explanation")
        assert one == without
        assert told["exact"] is True
        assert list(told["h"]) == FEATURES
        total = told["intercept"]["h"] + sum(told["h"].values())
        assert total == pytest.approx(one["score"])
        if kind == "gradient-boosting":
            assert told["r"] is told["reject_score"] is told["intercept"]["r"] is None
            continue
        total = told["intercept"]["r"] + sum(told["r"].values())
        assert total == pytest.approx(told["reject_score"])


def test_a_row_is_explained_alike_alone_by_columns_and_in_any_batch(server, models):
    name = "gradient-boosting.chow"
    many = predict(server, name, FEW, explain=True)["predictions"]
    (alone,) = predict(server, name, ROWS[7:8], explain=True)["predictions"]
    assert alone == many[7]
    fields = {"layout": "columns", "fields": ["score", "explanation"]}
    columns = predict(server, name, FEW, explain=True, **fields)["predictions"]
    assert columns["explanation"] == [one["explanation"] for one in many]


def test_more_rows_than_can_wait_are_refused(server, models):
    data = {"columns": FEATURES, "rows": ROWS}
    body = {"model": "gradient-boosting.chow", "data": data, "explain": True}
    answer = server.http.post("/predict", json=body)
    assert answer.status_code == 422, answer.text
    (fault,) = answer.json()["errors"]
    assert fault["pointer"] == "/explain"
    assert fault["detail"] == "60 rows; of this model at most 50 are explained at once"
    body["explain"] = False
    assert server.http.post("/predict", json=body).status_code == 200


def test_a_batch_gives_none(server, models):
    answer = server.http.post(
        "/predict/batch?model=adaboost.chow&explain=true",
        content=b"plas\n1\n",
        headers={"Content-Type": "text/csv"},
    )
    assert answer.status_code == 422


def test_an_ensemble_is_explained_from_whatever_its_members_are(server):
    train(server, "explained-auto", trainer={"kind": "auto", "budget_seconds": 0.01})
    for one in predict(server, "explained-auto", FEW[:5], explain=True)["predictions"]:
        told = one["explanation"]
        total = told["intercept"]["h"] + sum(told["h"].values())
        assert total == pytest.approx(one["score"])
        assert told["exact"] is True, "four columns: every subset was scored"
