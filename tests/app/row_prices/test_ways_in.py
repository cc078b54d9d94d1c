"""Whatever brings a row with prices of its own, it has one answer, and one case.

The price of a missed +1 follows a column that is no feature, that of a false one a
feature; some rows lack either.
"""

import io
import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from sqlalchemy import select

from app.artifacts.row_prices import ColumnPrice, RowPrices
from app.audit import audit
from app.db.monitor_tables import Bucket
from app.db.review_tables import Case
from app.evidence.scores import AtOwnPrices
from solvers import RowCosts
from tests.app.predict.conftest import COLUMNS, served, training_rows
from tests.app.reviews.conftest import Desk
from tests.waiting import until

N = 60
NAMES = [*COLUMNS, "amount"]
PRICES = RowPrices(ColumnPrice("glucose", 0.1), ColumnPrice("amount"), 2.0, 3.0)
KINDS = ("FP64", "FP64", "BOOL", "BYTES", "FP64")
INTO = ["decision", "probability", "expected_cost", "reason", "would_be"]


def rows():
    """Amounts from cheap to dear; two are missing, one is 0, one glucose below 0."""
    draw = np.random.default_rng(1)
    made = [
        [*row, round(float(amount), 3)]
        for row, amount in zip(
            training_rows(N, seed=3), draw.lognormal(3, 1.5, N), strict=True
        )
    ]
    made[5][4] = made[17][4] = None
    made[9][4] = 0.0
    made[20][0] = -1.0
    return made


ROWS = rows()
LACKING = {5, 9, 17, 20}
COLUMNAR = {name: [row[j] for row in ROWS] for j, name in enumerate(NAMES)}


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prices")
    opened = Desk(folder, prediction_log="required", default_model="own")
    rule = AtOwnPrices().fit().payload()
    model = replace(served(), rule=rule, costs=None, row_prices=PRICES)
    opened.registry.add("own", model)
    yield opened
    opened.stop()


def asked(desk, **more):
    answer = desk.admin.post("/predict", json={"model": "own", **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture(scope="module")
def wanted(desk):
    """The answer to rows as objects."""
    sent = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    return asked(desk, instances=sent)["predictions"]


def test_each_row_is_decided_at_its_own_prices(wanted):
    known = [i for i in range(N) if i not in LACKING]
    p = np.array([row["probability"] for row in wanted])
    costs = RowCosts(
        0.1 * np.array([ROWS[i][0] for i in known]),
        np.array([ROWS[i][4] for i in known]),
        2.0,
        3.0,
    )
    codes = {"+1": 1, "-1": -1, "reject": 0}
    free = [i for i in known if wanted[i]["reason"] in {None, "ambiguous"}]
    decided = dict(zip(known, costs.decide(p[known]).tolist(), strict=True))
    assert [codes[wanted[i]["decision"]] for i in free] == [decided[i] for i in free]
    assert {decided[i] for i in free} == {-1, 0, 1}
    expected = dict(zip(known, costs.expected(p[known]).tolist(), strict=True))
    for i in known:
        assert list(wanted[i]["expected_costs"].values()) == expected[i]
    for i in LACKING:
        assert wanted[i]["reason"] == "missing_price"
        assert wanted[i]["expected_costs"] is wanted[i]["expected_cost"] is None


def test_rows_alone_lists_and_columns_agree(desk, wanted):
    grid = {"columns": NAMES[::-1], "rows": [row[::-1] for row in ROWS]}
    assert asked(desk, data=grid)["predictions"] == wanted
    for i, row in enumerate(ROWS[:22]):
        alone = [dict(zip(NAMES, row, strict=True))]
        assert asked(desk, instances=alone)["predictions"] == [wanted[i]]
    told = asked(desk, data=grid, layout="columns")["predictions"]
    for name in INTO:
        assert told[name] == [row[name] for row in wanted]
    assert told["distances"] is None
    for called, costs in told["expected_costs"].items():
        of_rows = [row["expected_costs"] for row in wanted]
        assert costs == [one and one[called] for one in of_rows]


def test_some_members_agree(desk, wanted):
    grid = {"columns": NAMES, "rows": ROWS}
    fields = ["decision", "expected_costs"]
    told = asked(desk, data=grid, fields=fields)["predictions"]
    assert told == [{name: row[name] for name in fields} for row in wanted]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_files_agree(desk, wanted, form):
    out = io.BytesIO()
    table = pa.table(COLUMNAR)
    if form == "csv":
        pa.csv.write_csv(table, out)
        kind = "text/csv"
    else:
        pq.write_table(table, out)
        kind = "application/vnd.apache.parquet"
    answer = desk.admin.post(
        "/predict/batch?model=own",
        content=out.getvalue(),
        headers={"content-type": kind},
    )
    assert answer.status_code == 200, answer.text
    read = pa.csv.read_csv if form == "csv" else pq.read_table
    told = read(io.BytesIO(answer.content))
    for name in INTO:
        found = told[f"demur_{name}"].to_pylist()
        assert [None if one == "" else one for one in found] == [
            row[name] for row in wanted
        ], name


def first_rows(inputs, rows):
    return [{**one, "shape": [rows], "data": one["data"][:rows]} for one in inputs]


def test_other_protocols_agree(desk, wanted):
    inputs = [
        {
            "name": name,
            "shape": [N],
            "datatype": kind,
            "data": COLUMNAR[name],
        }
        for name, kind in zip(NAMES, KINDS, strict=True)
    ]
    outputs = [{"name": name} for name in [*INTO, "costs"]]
    sent = {"inputs": inputs, "outputs": outputs}
    answer = desk.admin.post("/v2/models/own/infer", json=sent)
    assert answer.status_code == 200, answer.text
    told = {one["name"]: one["data"] for one in answer.json()["outputs"]}
    for name in INTO:
        found = [None if one == "" else one for one in told[name]]
        assert found == [row[name] for row in wanted], name
    flat = np.array(told["costs"], dtype=object).reshape(N, 3).tolist()
    assert flat == [
        [None] * 3
        if row["expected_costs"] is None
        else list(row["expected_costs"].values())
        for row in wanted
    ]
    for request, there in ((inputs, False), (first_rows(inputs, 1), True)):
        answer = desk.admin.post("/v2/models/own/infer", json={"inputs": request})
        names = [one["name"] for one in answer.json()["outputs"]]
        assert ("expected_cost" in names) is there  # for every row, or for none
        assert "null" not in answer.text
    answer = desk.admin.get("/v2/models/own").json()
    assert [one["name"] for one in answer["inputs"]] == NAMES
    split = {"dataframe_split": {"columns": NAMES, "data": ROWS}}
    answer = desk.admin.post("/invocations", json=split)
    assert answer.status_code == 200, answer.text
    assert answer.json()["predictions"] == wanted


def test_the_log_tells_all_that_decisions_follow_from(desk, wanted):
    asked(desk, instances=[dict(zip(NAMES, ROWS[5], strict=True))])
    folder = desk.settings.prediction_log_dir
    files = sorted(folder.glob("*.jsonl"))
    until(lambda: sum(f.stat().st_size for f in files) > 0)
    report = audit(files)
    assert report.decisions >= N
    assert report.differing == 0, report.first
    lines = [json.loads(x) for f in files for x in f.read_text().splitlines()]
    record = next(line for line in lines if len(line["scores"]) == N)
    record["costs"]["false_negative"][0] *= 2
    forged = folder / "forged.log"
    forged.write_text(json.dumps(record) + "\n")
    assert audit([forged]).differing > 0
    forged.unlink()


def test_people_see_the_dearest_doubt_first_at_the_prices_of_each_case(desk):
    policy = {"audit": None, "second_opinion": None}
    answer = desk.admin.put("/models/own/review", json=policy)
    assert answer.status_code == 200, answer.text
    references = [f"row-{i}" for i in range(N)]
    grid = {"columns": NAMES, "rows": ROWS}
    told = asked(desk, data=grid, references=references)["predictions"]
    with desk.registry.database.read() as session:
        cases = {case.reference: case for case in session.scalars(select(Case))}
    assert set(cases) == {
        name
        for name, row in zip(references, told, strict=True)
        if row["decision"] == "reject"
    }
    for i, row in enumerate(told):
        if row["decision"] != "reject":
            continue
        case, costs = cases[f"row-{i}"], row["expected_costs"]
        assert case.features["amount"] == ROWS[i][4]
        if i in LACKING:
            assert case.costs is None
            assert (case.reason, case.saving) == ("missing_price", 0.0)
            continue
        assert case.costs["false_negative"] == ROWS[i][4]
        assert case.costs["false_positive"] == 0.1 * ROWS[i][0]
        assert case.saving == min(costs["+1"], costs["-1"]) - costs["reject"]
    out = io.BytesIO()
    pa.csv.write_csv(pa.table({**COLUMNAR, "ref": [f"f-{i}" for i in range(N)]}), out)
    answer = desk.admin.post(
        "/predict/batch?model=own&reference=ref",
        content=out.getvalue(),
        headers={"content-type": "text/csv"},
    )
    assert answer.status_code == 200, answer.text
    with desk.registry.database.read() as session:
        found = {case.reference: case for case in session.scalars(select(Case))}
    for name, case in cases.items():
        twin = found[name.replace("row-", "f-")]
        assert (twin.costs, twin.saving) == (case.costs, case.saving)
    desk.admin.delete("/models/own/review")


def test_the_monitor_counts_the_costs_that_were_answered(desk, wanted):
    def counted():
        with desk.registry.database.read() as session:
            return [
                (one.n_rows, one.priced, one.rejects.get("missing_price", 0))
                for one in session.scalars(select(Bucket))
            ]

    asked(desk, data={"columns": NAMES, "rows": ROWS})
    until(lambda: counted() and counted()[0][0] >= N)
    for n, priced, lacking in counted():
        assert priced == n - lacking
