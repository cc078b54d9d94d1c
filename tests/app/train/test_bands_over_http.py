"""Bands of confidence over HTTP: the machine's own, the same in every answer."""

import io
import re

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from app.pages.page import say
from solvers.trainers.multi_hinge import MultiHingeSVC
from tests.app.pima_like import inline, train

BOUNDS = [0.1, 0.4, 0.8]
COLUMNS = ["a", "b", "sick"]


def drawn(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    sick = rng.random(n) < 1 / (1 + np.exp(-2 * X[:, 0]))
    return X, ["yes" if one else "no" for one in sick]


@pytest.fixture(scope="module")
def rated(server):
    X, sick = drawn(300, 0)
    rows = [[*x.tolist(), y] for x, y in zip(X, sick, strict=True)]
    return train(
        server,
        "rated",
        trainer={"kind": "multi-hinge-svm", "probabilities": BOUNDS},
        data=inline(rows, COLUMNS),
        target={"column": "sick", "positive": "yes"},
        refit=True,
    )


def ask(server, X, model="rated", **more):
    data = {"columns": ["a", "b"], "rows": X.tolist()}
    answer = server.http.post("/predict", json={"model": model, "data": data, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_band_is_what_the_class_rates_the_row(rated, server):
    X, sick = drawn(300, 0)
    means, spread = X.mean(axis=0), X.std(axis=0)
    y = np.where(np.array(sick) == "yes", 1, -1)
    machine = MultiHingeSVC(BOUNDS).fit((X - means) / spread, y)
    unseen, _ = drawn(200, 1)
    expected = machine.rate((unseen - means) / spread).tolist()
    answer = ask(server, unseen)
    told = [row["band"] for row in answer["predictions"]]
    assert answer["bands"] == BOUNDS
    assert set(told) == {0, 1, 2, 3}
    assert np.mean(np.array(told) == expected) > 0.98  # but for rounding
    assert rated["bands"]["probabilities"] == BOUNDS


def test_every_way_in_answers_the_same_bands(rated, server):
    X, _ = drawn(30, 2)
    together = [row["band"] for row in ask(server, X)["predictions"]]
    alone = [ask(server, x[np.newaxis])["predictions"][0]["band"] for x in X]
    columns = ask(server, X, layout="columns")["predictions"]
    chosen = ask(server, X, fields=["band"])["predictions"]
    assert alone == together == columns["band"] == [row["band"] for row in chosen]
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    for form, write, read in (
        ("text/csv", pa.csv.write_csv, pa.csv.read_csv),
        ("application/vnd.apache.parquet", pq.write_table, pq.read_table),
    ):
        body = io.BytesIO()
        write(table, body)
        answer = server.http.post(
            "/predict/batch",
            params={"model": "rated"},
            content=body.getvalue(),
            headers={"content-type": form},
        )
        assert answer.status_code == 200, answer.text
        told = read(io.BytesIO(answer.content))
        assert told["demur_band"].to_pylist() == together
    names = [{"name": "a", "shape": [30]}, {"name": "b", "shape": [30]}]
    inputs = [
        {**one, "datatype": "FP64", "data": X[:, j].tolist()}
        for j, one in enumerate(names)
    ]
    answer = server.http.post("/v2/models/rated/infer", json={"inputs": inputs})
    outputs = {one["name"]: one for one in answer.json()["outputs"]}
    assert outputs["band"]["data"] == together
    assert outputs["band"]["datatype"] == "INT64"


def test_the_evaluation_tells_what_each_band_really_held(rated):
    bands = rated["evaluation"]["bands"]
    ends = [0.0, *BOUNDS, 1.0]
    assert [one["lower"] for one in bands] == ends[:-1]
    assert [one["upper"] for one in bands] == ends[1:]
    assert sum(one["rows"] for one in bands) == rated["evaluation"]["rows"]
    for one in bands:
        low, high = one["interval"]
        assert low <= one["share_positive"] <= high
        assert low < one["upper"]
        assert high > one["lower"]


def test_the_bands_of_another_prevalence_move_by_its_odds(rated, server):
    answer = server.http.post(
        "/models/rated/versions/1/reprice", json={"prevalence": 0.05}
    )
    assert answer.status_code == 201, answer.text
    number = answer.json()["model"]["version"]
    now = server.http.get(f"/models/rated/versions/{number}").json()["bands"]
    moved = np.array(now["thresholds"]) - rated["bands"]["thresholds"]
    share = np.mean(np.array(drawn(300, 0)[1]) == "yes")
    odds = np.log(share / (1 - share)) - np.log(0.05 / 0.95)
    np.testing.assert_allclose(moved, odds)
    X, _ = drawn(50, 3)
    before, after = (
        [row["band"] for row in ask(server, X, f"rated:{n}")["predictions"]]
        for n in (1, number)
    )
    assert all(a <= b for a, b in zip(after, before, strict=True))
    assert after != before


def test_other_models_tell_no_band(server):
    X, sick = drawn(60, 4)
    rows = [[*x.tolist(), y] for x, y in zip(X, sick, strict=True)]
    train(
        server,
        "unrated",
        trainer={"kind": "svm"},
        data=inline(rows, COLUMNS),
        target={"column": "sick", "positive": "yes"},
    )
    told = ask(server, X[:2], "unrated")
    assert "bands" not in told
    assert all("band" not in row for row in told["predictions"])
    assert "band" not in ask(server, X[:2], "unrated", layout="columns")["predictions"]
    asked = ask(server, X[:2], "unrated", fields=["band"])["predictions"]
    assert asked == [{"band": None}] * 2


@pytest.mark.parametrize("bounds", [[], [0.5, 0.5], [0.7, 0.3], [0.0, 0.5], [0.5, 1]])
def test_bounds_that_are_none_are_refused_by_name(server, bounds):
    X, sick = drawn(20, 5)
    rows = [[*x.tolist(), y] for x, y in zip(X, sick, strict=True)]
    body = {
        "model": "no",
        "trainer": {"kind": "multi-hinge-svm", "probabilities": bounds},
        "data": inline(rows, COLUMNS),
        "target": {"column": "sick", "positive": "yes"},
    }
    answer = server.http.post("/train", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].startswith("/trainer/probabilities")


def on_the_page(server, **fields):
    """Decide one case in the form of the page."""
    own = {"origin": str(server.http.base_url).rstrip("/")}
    return server.http.post("/ui/decide?model=rated", data=fields, headers=own)


def test_the_page_tells_the_band_of_a_case(rated, server):
    edges = [0.0, *BOUNDS, 1.0]
    unseen, _ = drawn(12, 2)
    for row, told in zip(unseen, ask(server, unseen)["predictions"], strict=True):
        page = on_the_page(server, c0=str(row[0]), c1=f" {row[1]} ".replace(".", ","))
        assert page.status_code == 200, page.text
        low, high = (f"{100 * edges[told['band'] + i]:.0f}" for i in (0, 1))
        found = re.search(
            r"in the band of yes from ([0-9]+)\S* % to ([0-9]+)", page.text
        )
        assert found is not None, page.text
        assert found.groups() == (low, high)


@pytest.mark.parametrize("text", ["1_0", "\uff11", "NaN", "Infinity", "1e400", "1,2,3"])
def test_the_page_takes_digits_for_numbers(rated, server, text):
    page = on_the_page(server, c0=text, c1="1")
    assert page.status_code == 422
    assert page.text.count(say("decide.not_a_number")) == 1
    assert on_the_page(server, c0="", c1="1").status_code == 200
