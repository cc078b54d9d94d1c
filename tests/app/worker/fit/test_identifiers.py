"""Columns that name the rows are told, columns that measure are not."""

import uuid

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.datasets.store import DatasetStore
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.worker.fit.identifiers import group_warnings, identifier_warnings
from app.worker.fit.pipeline import run
from tests.app.worker.fit.mixed_columns import PRICES


def told(values):
    table = Table.from_rows(["it"], [[value] for value in values])
    return identifier_warnings(FeatureSchema.fit(table), table)


@pytest.mark.parametrize(
    "values",
    [
        [f"P{i}" for i in range(40)],
        [f"2024-01-{i % 28 + 1:02}T{i // 28:02}" for i in range(40)],
        [f"P{i}" for i in range(25)] + ["the same"] * 10 + [None] * 5,
        list(range(100, 140)),
        [float(i) for i in np.random.default_rng(0).permutation(40)],
    ],
)
def test_what_names_the_rows_is_told(values):
    (only,) = told(values)
    assert "column 'it'" in only
    assert "leave the column out" in only
    assert not any(str(value) in only.split(":")[0] for value in values[:5])


@pytest.mark.parametrize(
    "values",
    [
        [f"P{i}" for i in range(10)],
        ["ab"[i % 2] for i in range(40)],
        [f"P{i // 2}" for i in range(40)],
        [*range(39), 5],
        [*range(39), 40],
        [i + 0.5 for i in range(40)],
        [*range(39), None],
        [1.0] * 40,
        [None] * 40,
        [i % 2 == 0 for i in range(40)],
    ],
)
def test_what_measures_is_not(values):
    assert told(values) == []


@given(
    start=st.integers(-1000, 1000),
    order=st.permutations(range(30)),
    white=st.text(" \t", max_size=2),
)
def test_neither_order_nor_start_nor_white_space_matters(start, order, white):
    assert told([start + i for i in order])
    assert told([f"{white}{start + i}x" for i in order])
    assert not told([f"{white * (i % 2)}{i // 2}" for i in order])


def patients(n=40, rows=5):
    """Rows of patients, and who they are of."""
    random = np.random.default_rng(30)
    whose = np.repeat(np.arange(n), rows)
    x = random.normal(size=n)[whose] + 0.3 * random.normal(size=n * rows)
    y = np.where(x + random.normal(size=n * rows) > 0, "yes", "no")
    return whose, x, y.tolist()


def trained(data, datasets=None, **changes):
    request = {
        "model": "m",
        "trainer": {"kind": "logistic"},
        "costs": PRICES,
        "data": data,
        "target": {"column": "y", "positive": "yes"},
        **changes,
    }
    warnings = run(request, lambda *_: True, datasets).warnings
    return [text for text in warnings if '"groups"' in text]


def stored(tmp_path, **columns):
    """Keep columns as a data set, and return its id."""
    staged = tmp_path / "staged"
    pq.write_table(pa.table(columns), staged)
    return DatasetStore(tmp_path).keep(staged, str(uuid.uuid4())).id


@pytest.mark.parametrize("spelt", [float, lambda i: f"P{i:03} "])
def test_a_column_left_out_that_may_be_the_group_is_told(tmp_path, spelt):
    whose, x, y = patients()
    ids = [spelt(i) for i in whose.tolist()]
    data = {
        "kind": "dataset",
        "id": stored(tmp_path, patient=ids, x=x, y=y, free=x * 2, flag=x > 0),
        "columns": ["x", "y"],
    }
    (only,) = trained(data, tmp_path)
    assert "column 'patient' is left out, and has 40 values with about 5 rows" in only
    assert '"groups": "patient"' in only
    named = {**data, "columns": ["patient", "x", "y"]}
    assert not trained(named, tmp_path, groups="patient")


def test_an_identifier_that_is_read_is_told_by_its_name():
    rows = [[i // 5] for i in range(40)]
    for name in ("patient_id", "CustomerID", "id", "case ID"):
        (only,) = group_warnings(Table.from_rows([name], rows), [])
        assert f"column {name!r} is a feature, though its name" in only
    for name in ("age", "paid", "humid", "grid"):
        assert not group_warnings(Table.from_rows([name], rows), [])


def test_a_column_that_the_trainer_does_not_read_is_told():
    whose, x, y = patients()
    rows = [list(row) for row in zip(whose.tolist(), x.tolist(), y, strict=True)]
    data = {"kind": "inline", "columns": ["who", "x", "y"], "rows": rows}
    (only,) = trained(data, trainer={"kind": "scores", "column": "x"})
    assert "column 'who' is left out" in only


@pytest.mark.parametrize(
    "values",
    [
        [f"P{i}" for i in range(40)],
        ["abc"[i % 3] for i in range(40)],
        [i // 2 + 0.5 for i in range(40)],
        [i % 2 == 0 for i in range(40)],
        [None] * 40,
        [*range(30), *[5] * 10],
        [i // 2 for i in range(18)],
    ],
)
def test_what_is_no_group_is_not_told(values):
    empty = Table({}, {})
    assert not group_warnings(empty, [Table.from_rows(["it"], [[v] for v in values])])


def test_of_many_columns_some_are_named_and_the_rest_counted():
    table = Table.from_rows(list("abcde"), [[i // 4] * 5 for i in range(40)])
    told = group_warnings(Table({}, {}), [table])
    assert len(told) == 4
    assert "2 more columns" in told[-1]
