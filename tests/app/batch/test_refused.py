"""What POST /predict/batch refuses, with its place and without its values."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.app.batch.conftest import ARROW, PARQUET, some_rows

REFUSED = {
    "missing column": (b"glucose,bmi,town\n1,2,x\n", {}, 422, "'smoker': the column"),
    "taken name": (
        b"glucose,bmi,smoker,town,demur_score\n1,2,true,x,1\n",
        {},
        422,
        "column 5 ('demur_score')",
    ),
    "no number": (
        b"town,glucose,bmi,smoker\nx,1,2,true\nx,secret,2,true\n",
        {},
        422,
        "line 3, column 2 ('glucose'): not a number",
    ),
    "no boolean": (
        b"glucose,bmi,smoker,town\n1,2,secret,x\n",
        {},
        422,
        "line 2, column 3 ('smoker'): neither",
    ),
    "infinite": (
        b"glucose,bmi,smoker,town\ninf,2,true,x\n",
        {},
        422,
        "line 2, column 1",
    ),
    "ragged": (b"glucose,bmi,smoker,town\n1,2,true,x\n1\n", {}, 422, "line 3: 1 cells"),
    "empty": (b"", {}, 422, "the file is empty"),
    "twice": (b"glucose,glucose,bmi,smoker,town\n1,1,2,true,x\n", {}, 422, "column 2"),
    "other type": (b"{}", {"media_type": "application/json"}, 415, "text/csv"),
    "svmlight": (b"1 1:1\n", {"media_type": "text/x-svmlight"}, 415, "text/csv"),
    "no parquet": (b"PAR1", {"media_type": PARQUET}, 422, "no readable Parquet file"),
    "no arrow": (b"x", {"media_type": ARROW}, 422, "no readable Arrow stream"),
    "unknown model": (b"a\n1\n", {"model": "nobody"}, 404, "no model has this name"),
    "no such version": (b"a\n1\n", {"model": "batch:99"}, 404, "version 99"),
    "unknown option": (b"a\n1\n", {"header": "false"}, 422, "/query/header"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_its_place_and_without_its_values(send, left, case):
    body, query, status, told = REFUSED[case]
    answer = send(body, **query)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert told in answer.text
    assert "secret" not in answer.text
    assert "declare" not in answer.text  # the types are the model's
    assert left() == set()


def test_a_model_must_be_named(server):
    answer = server.http.post(
        "/predict/batch", content=b"a\n1\n", headers={"content-type": "text/csv"}
    )
    assert answer.status_code == 422
    assert "/query/model" in answer.text


def test_the_first_fault_is_told_after_the_whole_body_was_sent(send):
    good = b"1,2,true,x\n" * 200_000
    body = b"glucose,bmi,smoker,town\n" + good + b"1,2,true\n" + good
    answer = send(body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["row"] == 200_000
    assert "line 200002: 3 cells" in answer.json()["detail"]


TYPES = {
    "text for a number": (
        "glucose",
        pa.array(["1"]),
        "the column is string, the model",
    ),
    "text for a boolean": ("smoker", pa.array(["true"]), "needs boolean"),
    "number for a category": ("town", pa.array([1.5]), "needs categorical"),
    "list for a number": ("glucose", pa.array([[1.0]]), "the column is list<"),
    "object for a number": ("glucose", pa.array([{"x": 1.0}]), "the column is struct<"),
    "list for a boolean": ("smoker", pa.array([[True]]), "needs boolean"),
    "bytes for a category": ("town", pa.array([b"north"]), "the column is binary"),
    "span for a category": ("town", pa.array([5], pa.duration("s")), "is duration[s]"),
}


@pytest.mark.parametrize("case", TYPES)
def test_typed_columns_are_taken_at_their_word(send, case):
    name, values, told = TYPES[case]
    table = pa.Table.from_pylist(some_rows(1))
    table = table.set_column(table.column_names.index(name), name, values)
    sink = io.BytesIO()
    pq.write_table(table, sink)
    answer = send(sink.getvalue(), PARQUET)
    assert answer.status_code == 422
    assert told in answer.json()["detail"]
    assert answer.json()["errors"][0]["column"] == name
