"""Columns that name the rows are told, columns that measure are not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.schema import FeatureSchema
from app.features.table import Table
from app.worker.fit.identifiers import identifier_warnings


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
