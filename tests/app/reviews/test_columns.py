"""Cases are named in an answer by columns as in one by rows."""

import pytest

from app.predict.endpoint import LARGE_BYTES
from tests.app.reviews.conftest import rows
from tests.waiting import until

PLAIN = {"audit": None, "second_opinion": None}


def ask(desk, model, n, layout, references=None, **more):
    body = {"model": model, "instances": rows(n), "layout": layout, **more}
    if references is not None:
        body["references"] = references
    answer = desk.admin.post("/predict", json=body)
    assert answer.status_code == 200, answer.text
    assert n < 1000 or len(answer.request.content) > LARGE_BYTES
    return answer.json()["predictions"]


@pytest.mark.parametrize("n", [1, 40, 400, 16_000])
def test_each_rejected_row_has_its_case_and_a_retry_the_same(desk, n):
    model = desk.model(f"columns-{n}", **PLAIN)
    references = [f"{n}-{i}" for i in range(n)]
    first = ask(desk, model, n, "columns", references)
    assert [case is not None for case in first["case"]] == [
        decision == "reject" for decision in first["decision"]
    ]
    again = ask(desk, model, n, "columns", references)
    assert again == first
    by_rows = ask(desk, model, n, "rows", references)
    assert [row.get("case") for row in by_rows] == first["case"]
    some = ask(desk, model, n, "rows", references, fields=["case"])
    assert [row["case"] for row in some] == first["case"]
    if n == 40:
        kept = desk.admin.get("/cases", params={"model": model, "limit": 100}).json()
        named = {case["id"]: case["reference"] for case in kept["cases"]}
        asked = dict(zip(first["case"], references, strict=True))
        asked.pop(None)
        assert named == asked


def test_accepted_rows_of_columns_are_audited(desk):
    model = desk.model("columns-audited", audit={"+1": 1.0, "-1": 1.0})
    told = ask(desk, model, 30, "columns")
    named = [case for case in told["case"] if case is not None]
    assert len(named) == told["decision"].count("reject") < 30

    def all_of_them():
        listed = desk.admin.get("/cases", params={"model": model, "limit": 100}).json()
        return len(listed["cases"]) == 30

    assert until(all_of_them)


def test_an_answer_without_cases_says_null(desk, monkeypatch):
    model = desk.model("columns-kept", on_failure="answer", **PLAIN)

    def failing(*_):
        raise OSError

    monkeypatch.setattr("app.reviews.keeper.open_cases", failing)
    told = ask(desk, model, 40, "columns")
    assert "reject" in told["decision"]
    assert told["case"] == [None] * 40
