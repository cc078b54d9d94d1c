"""What POST /predict does not take is said by place, and never repeated."""

import json

import pytest

from tests.app.predict.conftest import COLUMNS, served
from tests.app.predict.refused import ROW, UNSAID, faults, refused


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("glucose", "120", "expected a finite number or null, got a string"),
        ("glucose", UNSAID, "got a string"),
        ("glucose", True, "got a boolean"),
        ("glucose", [UNSAID], "got a list"),
        ("glucose", {"a": UNSAID}, "got an object"),
        ("smoker", 1, "expected true, false or null, got a number"),
        ("smoker", "true", "got a string"),
        ("town", 3, "expected a string or null, got a number"),
        ("town", False, "got a boolean"),
    ],
)
def test_a_cell_of_another_type_is_named(client, column, value, words):
    (fault,) = faults(client, ROW, {**ROW, column: value})
    assert words in fault["detail"]
    assert fault["pointer"] == f"/instances/1/{column}"
    assert (fault["row"], fault["column"]) == (1, column)


def test_missing_and_unknown_keys_are_named(client):
    short = {key: ROW[key] for key in COLUMNS[1:]}
    missing, unknown = faults(client, ROW, short, {**ROW, "a/b~c": UNSAID})
    assert (missing["row"], missing["column"]) == (1, "glucose")
    assert "null stands for a missing value" in missing["detail"]
    assert (unknown["row"], unknown["column"]) == (2, "a/b~c")
    assert unknown["pointer"] == "/instances/2/a~1b~0c"
    assert "extra_columns" in unknown["detail"]


@pytest.mark.parametrize("n", [1, 2, 40, 2000])
def test_a_key_too_many_is_refused_where_nothing_else_is_wrong(client, n):
    rows = [ROW] * (n - 1)
    (fault,) = faults(client, *rows, {**ROW, "id": UNSAID})
    assert fault["row"] == n - 1
    assert fault["pointer"] == f"/instances/{n - 1}/id"


def test_ignoring_extra_columns_excuses_nothing_else(client):
    row = {**ROW, "id": UNSAID, "glucose": "1"}
    (fault,) = faults(client, row, extra_columns="ignore")
    assert fault["column"] == "glucose"


def test_all_faults_are_told_up_to_twenty(client):
    rows = [{**ROW, "glucose": "x", "town": 1} for _ in range(30)]
    told = faults(client, *rows)
    assert len(told) == 20
    assert [fault["row"] for fault in told] == sorted(2 * list(range(10)))


@pytest.mark.parametrize("bad", [0, 700, 999])
def test_faults_of_a_long_request_are_told_by_their_own_row(client, bad):
    rows = [dict(ROW) for _ in range(1000)]
    rows[bad]["glucose"] = UNSAID
    (fault,) = faults(client, *rows)
    assert (fault["row"], fault["pointer"]) == (bad, f"/instances/{bad}/glucose")


@pytest.mark.parametrize("row", [1, "x", None, [1, 2], True])
def test_a_row_that_is_no_object_is_named(client, row):
    (fault,) = faults(client, ROW, row)
    assert (fault["row"], fault["detail"]) == (1, "a row is an object of columns")


@pytest.mark.parametrize("instances", [None, 1, "x", {"a": 1}])
def test_rows_that_are_no_list(client, instances):
    problem = refused(client, {"model": "pima", "instances": instances}, 422)
    assert problem["errors"] == [{"pointer": "/instances", "detail": "rows are a list"}]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("NaN", 400),
        ("Infinity", 400),
        ("-Infinity", 400),
        ("1e999", 422),
        ("-1e999", 422),
        ("9" * 400, 422),
        ("01", 400),
        (".5", 400),
        ("'x'", 400),
    ],
)
@pytest.mark.parametrize("padding", [0, 500])
def test_what_is_no_finite_number_gets_a_4xx(client, text, status, padding):
    row = json.dumps(ROW).replace(str(ROW["glucose"]), text)
    rows = ",".join([json.dumps(ROW)] * padding + [row])
    body = f'{{"model": "pima", "instances": [{rows}]}}'
    problem = refused(client, body.encode(), status)
    if status == 422:
        (fault,) = problem["errors"]
        assert (fault["row"], fault["column"]) == (padding, "glucose")
        assert "out of range" in fault["detail"]


@pytest.mark.parametrize(
    ("change", "pointer", "words"),
    [
        ({"model": 3}, "/model", "expected a string"),
        ({"model": None}, "/model", "expected a string"),
        ({"modle": UNSAID}, "/modle", "unknown member"),
        ({"extra_columns": UNSAID}, "/extra_columns", '"refuse" or "ignore"'),
        ({"costs": [1]}, "/costs", "an object of four prices"),
        ({"costs": {}}, "/costs/false_positive", "missing"),
        ({"data": {"columns": [], "rows": []}}, "/instances", "given once"),
    ],
)
def test_members_of_the_request_are_checked(client, change, pointer, words):
    body = {"model": "pima", "instances": [ROW], **change}
    fault = refused(client, body, 422)["errors"][0]
    assert fault["pointer"] == pointer
    assert words in fault["detail"]


def test_missing_members_are_named(client):
    (fault,) = refused(client, {"instances": [ROW]}, 422)["errors"]
    assert (fault["pointer"], fault["detail"]) == ("/model", "the member is missing")
    (fault,) = refused(client, {"model": "pima"}, 422)["errors"]
    assert "as instances, or as data" in fault["detail"]


GRID = {"columns": COLUMNS, "rows": [list(ROW.values())]}


@pytest.mark.parametrize(
    ("change", "pointer", "words"),
    [
        ({"rows": [[1, 2]]}, "/data/rows/0", "2 values for 4 columns"),
        ({"rows": [list(ROW.values()), 5]}, "/data/rows/1", "a row is a list"),
        ({"rows": {"a": 1}}, "/data/rows", "rows are a list"),
        ({"rows": [["x", 1, True, "y"]]}, "/data/rows/0/0", "got a string"),
        ({"columns": COLUMNS[1:]}, "/data/columns", "the column is missing"),
        ({"columns": [*COLUMNS, "id"]}, "/data/columns/4", "no such column"),
        ({"columns": [*COLUMNS, "bmi"]}, "/data/columns/4", "given twice"),
        ({"columns": "glucose"}, "/data/columns", "a list of strings"),
        ({"columns": [1]}, "/data/columns", "a list of strings"),
        ({"kind": "dataset"}, "/data/kind", '"inline"'),
        ({"id": UNSAID}, "/data/id", "unknown member"),
    ],
)
def test_rows_as_lists_are_checked_as_strictly(client, change, pointer, words):
    body = {"model": "pima", "data": {**GRID, **change}}
    fault = refused(client, body, 422)["errors"][0]
    assert fault["pointer"] == pointer
    assert words in fault["detail"]


@pytest.mark.parametrize("data", [None, 3, [], "x"])
def test_data_that_is_no_object(client, data):
    fault = refused(client, {"model": "pima", "data": data}, 422)["errors"][0]
    assert fault["pointer"] == "/data"


@pytest.mark.parametrize(
    "model", ["unknown", "pima:2", "pima:0", "pima:x", "pima@live", "", "a b", "ü"]
)
def test_an_unknown_model_is_404(client, model):
    problem = refused(client, {"model": model, "instances": [ROW]}, 404)
    assert problem["type"] == "/problems/unknown-model"


FULL = {
    "false_positive": 1,
    "false_negative": 1,
    "reject_positive": 0.2,
    "reject_negative": 0.2,
}


@pytest.mark.parametrize(
    ("costs", "pointer", "words"),
    [
        ({**FULL, "reject_positive": 1}, "/costs", "1.2 >= 1"),
        ({**FULL, "false_positive": 0}, "/costs/false_positive", "from 1e-12 to"),
        ({**FULL, "false_positive": "1"}, "/costs/false_positive", "finite number"),
        ({**FULL, "false_positive": True}, "/costs/false_positive", "finite number"),
        ({**FULL, "bonus": 1}, "/costs/bonus", "unknown member"),
    ],
)
def test_costs_that_no_rule_follows_from(client, costs, pointer, words):
    body = {"model": "chow", "instances": [ROW], "costs": costs}
    fault = refused(client, body, 422)["errors"][0]
    assert fault["pointer"] == pointer
    assert words in fault["detail"]


def test_costs_are_refused_where_thresholds_do_not_follow_from_them(client):
    (fault,) = faults(client, ROW, costs=FULL)
    assert fault["pointer"] == "/costs"
    assert "plug-in rule" in fault["detail"]
    assert "train with these costs" in fault["detail"]


def test_a_damaged_file_is_told_and_not_loaded(serve):
    running, registry = serve()
    sha256 = registry.add("pima", served())
    path = registry.store.blobs.path(f"{sha256}.joblib")
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    problem = refused(running.http, {"model": "pima", "instances": [ROW]}, 500)
    assert problem["type"] == "/problems/corrupt-artifact"
    other = served()
    assert registry.add("pima", other) == sha256  # written anew: it works again
    answer = running.http.post("/predict", json={"model": "pima", "instances": [ROW]})
    assert answer.status_code == 200


def test_a_table_with_far_too_many_columns(client):
    columns = [*COLUMNS, *(f"extra {j}" for j in range(1001))]
    data = {"columns": columns, "rows": []}
    body = {"model": "pima", "data": data, "extra_columns": "ignore"}
    (fault,) = refused(client, body, 422)["errors"]
    assert "at most 1000" in fault["detail"]
