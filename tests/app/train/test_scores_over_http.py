"""Scores over HTTP: what another program said of cases, decided at prices."""

import pytest

from tests.app.pima_like import PRICES, inline, train
from tests.app.worker.fit.test_scores import COLUMNS, probable, scored


@pytest.fixture(scope="module")
def told(server):
    return train(
        server,
        "given",
        trainer={"kind": "scores", "column": "score", "scale": "probability"},
        data=inline(probable(scored()), COLUMNS),
        target={"column": "outcome", "positive": "yes"},
    )


def ask(server, cells):
    data = {"columns": ["score"], "rows": [[cell] for cell in cells]}
    answer = server.http.post("/predict", json={"model": "given", "data": data})
    assert answer.status_code == 200, answer.text
    return answer.json()["predictions"]


def test_the_score_column_alone_is_asked_for(told, server):
    assert [one["name"] for one in told["features"]] == ["score"]
    sure, open_, not_at_all, missing, percent = ask(server, [0.95, 0.3, 0.02, None, 95])
    assert [one["decision"] for one in (sure, not_at_all)] == ["+1", "-1"]
    assert not_at_all["probability"] < open_["probability"] < sure["probability"]
    assert (missing["decision"], missing["reason"]) == ("reject", "missing_value")
    assert percent["warnings"][0].startswith("far_outside: score")


def test_it_is_repriced_without_training(told, server):
    dearer = {**PRICES, "false_negative": 9.0}
    answer = server.http.post(
        "/models/given/versions/1/reprice", json={"costs": dearer}
    )
    assert answer.status_code in {200, 201}, answer.text
    assert answer.json()["thresholds"]["lower"] < told["thresholds"]["lower"]
