"""A note says what is true: decimal=, makes a column of numbers of what was text."""

from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.datasets.reading import csv_source
from app.datasets.reading.blocks import Cutter
from app.errors import InvalidRequestError

CELLS = st.one_of(
    st.sampled_from(["1", "2,5", "-0,25", "1,5e3", "", "?", "NA"]),
    st.sampled_from(
        ["1.5", "1.000,5", "x", "true", "9" * 17, "9" * 17 + ",0", "1,2,3"]
    ),
)


def kind_of(read, body, decimal):
    """Return the type of the first column and the notes; (None, ()) if refused."""
    try:
        described, _ = read(body, delimiter=";", decimal=decimal)
    except InvalidRequestError:
        return None, ()
    return described.columns[0].type, described.notes


def check(read, cells):
    body = "\n".join(["a;b", *(f"{cell};z" for cell in cells)]).encode()
    kind, notes = kind_of(read, body, ".")
    other, _ = kind_of(read, body, ",")
    assert bool(notes) == (kind == "categorical" and other == "numeric")


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(CELLS, min_size=1, max_size=6), st.integers(1, 30))
def test_the_note_is_given_where_it_helps_and_nowhere_else(read, cells, block_bytes):
    with pytest.MonkeyPatch.context() as patch:
        small = partial(Cutter, block_bytes=block_bytes)
        patch.setattr(csv_source, "Cutter", small)
        check(read, cells)


@pytest.mark.parametrize(
    "cells",
    [
        ["9" * 20, "9" * 19],  # identifiers stay text either way
        ["1.5", "2,5"],  # one of each is a fault either way
        ["2,5", "3"],
    ],
)
def test_the_note_of_a_column(read, cells):
    check(read, cells)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=st.integers(10, 30),
    after=st.integers(0, 30),
    odd=st.sampled_from(["unknown", "<5", "-", "1 000", "n.a."]),
    block_bytes=st.integers(1, 200),
)
def test_the_cell_that_keeps_numbers_from_being_numbers_is_told(
    read, before, after, odd, block_bytes
):
    cells = [f"{i}.5" for i in range(before)] + [odd] + ["7"] * after
    body = "\n".join(["a;b", *(f"{cell};z" for cell in cells)]).encode()
    with pytest.MonkeyPatch.context() as patch:
        small = partial(Cutter, block_bytes=block_bytes)
        patch.setattr(csv_source, "Cutter", small)
        kind, notes = kind_of(read, body, ".")
        assert kind == "categorical"
        (note,) = notes
        assert f"line {before + 2} has the first" in note
        described, _ = read(body, delimiter=";", missing=(odd,))
    assert described.columns[0].type == "numeric"
    assert described.columns[0].missing == 1
    assert described.notes == ()


@pytest.mark.parametrize(
    "cells",
    [
        ["x"] * 12 + ["1"] * 12,  # as many texts
        ["1"] * 9 + ["x"],  # few of anything
        [f"{i}" for i in range(20)] + ["9" * 20],  # identifiers
        ["true", "false"] * 10,
        ["1", "2"] * 10,
    ],
)
def test_no_such_note_where_nothing_is_odd(read, cells):
    body = "\n".join(["a;b", *(f"{cell};z" for cell in cells)]).encode()
    assert kind_of(read, body, ".")[1] == ()
