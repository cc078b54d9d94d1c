"""Costs of one batch: what POST /predict answers at the same costs, row by row."""

import io
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.rules.band import Band
from tests.app.batch.conftest import made, put
from tests.app.batch.test_batch import PARQUET, check, read, some_rows, written
from tests.app.kernel_model import COSTS

OTHERS = {
    "false_positive": 2.0,
    "false_negative": 1.5,
    "reject_positive": 0.35,
    "reject_negative": 0.9,
}
TOO_DEAR = {**OTHERS, "reject_positive": 3.0, "reject_negative": 3.0}
ROWS = some_rows(60, seed=3)


@pytest.fixture(scope="module")
def priced(server) -> dict[str, str]:
    """The names of models whose thresholds follow from costs, by their rule."""
    chow = Band(COSTS.p_minus, COSTS.p_plus, on="probability")
    lower, upper = COSTS.thresholds
    models = {
        "chow": made({"kind": "chow", **chow.payload()}),
        "plug-in": replace(
            made({"kind": "plug-in", **Band(lower, upper).payload()}),
            calibration=Calibration.link(1.0),
        ),
    }
    for kind, model in models.items():
        put(server, f"priced-{kind}", [model.to_payload()])
    return {kind: f"priced-{kind}" for kind in models}


def as_parquet(rows):
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue()


@pytest.mark.parametrize("form", ["text/csv", PARQUET])
@pytest.mark.parametrize("kind", ["chow", "plug-in"])
def test_every_row_is_decided_and_priced_as_predict_does(
    send, alone, priced, kind, form
):
    body = written(ROWS).encode() if form == "text/csv" else as_parquet(ROWS)
    asked = {name: str(cost) for name, cost in OTHERS.items()}
    answer = send(body, form, model=priced[kind], **asked)
    assert answer.status_code == 200, answer.text
    found = (
        read(answer.text)
        if form == "text/csv"
        else pq.read_table(pa.BufferReader(answer.content)).to_pylist()
    )
    told = alone(ROWS, model=priced[kind], costs=OTHERS)
    for row, prediction in zip(found, told, strict=True):
        check(row, prediction)
    trained = alone(ROWS, model=priced[kind])
    assert [p["decision"] for p in told] != [p["decision"] for p in trained]
    rejected = sum(p["decision"] == "reject" for p in told)
    assert answer.headers["demur-rejected"] == str(rejected)


def test_fixed_thresholds_are_refused_as_predict_refuses_them(send, server, model):
    body = {"model": model, "instances": ROWS[:1], "extra_columns": "ignore"}
    told = server.http.post("/predict", json={**body, "costs": OTHERS})
    assert told.status_code == 422
    answer = send(written(ROWS), **OTHERS)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"] == told.json()["detail"]
    assert [e["pointer"] for e in answer.json()["errors"]] == ["/query/false_positive"]


REFUSED = {
    "some only": (
        {k: v for k, v in OTHERS.items() if k.startswith("false")},
        ["/query/reject_positive", "/query/reject_negative"],
    ),
    "rejecting never pays": (TOO_DEAR, ["/query/false_positive"]),
    "zero": ({**OTHERS, "false_negative": 0}, ["/query/false_negative"]),
    "no number": ({**OTHERS, "reject_positive": "x"}, ["/query/reject_positive"]),
    "infinite": ({**OTHERS, "reject_positive": "inf"}, ["/query/reject_positive"]),
    "not a number": ({**OTHERS, "false_positive": "nan"}, ["/query/false_positive"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_costs_that_are_none_are_refused(send, priced, case):
    asked, pointers = REFUSED[case]
    answer = send(written(ROWS), model=priced["chow"], **asked)
    assert answer.status_code == 422, answer.text
    assert [error["pointer"] for error in answer.json()["errors"]] == pointers


def test_the_inequality_is_told_with_both_its_sides(send, priced):
    answer = send(written(ROWS), model=priced["chow"], **TOO_DEAR)
    left = sum(
        TOO_DEAR[f"false_{a}"] * TOO_DEAR[f"reject_{a}"]
        for a in ("positive", "negative")
    )
    right = TOO_DEAR["false_positive"] * TOO_DEAR["false_negative"]
    assert f"{left:g} >= {right:g}" in answer.json()["detail"]
    assert CostMatrix(**OTHERS)


def test_the_documentation_names_the_costs(server):
    document = server.http.get("/openapi.json").json()
    named = document["paths"]["/predict/batch"]["post"]["parameters"]
    told = {one["name"]: one.get("description", "") for one in named}
    assert told.keys() >= OTHERS.keys()
    assert all(told[name] for name in OTHERS)
