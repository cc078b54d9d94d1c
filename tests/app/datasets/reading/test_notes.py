"""A note says what is true: what made text of numbers, and what reads them."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.datasets.reading import csv_source
from app.datasets.reading.blocks import Cutter


def body_of(cells, beside="z"):
    return "\n".join(["a;b", *(f"{cell};{beside}" for cell in cells)]).encode()


def first_of(read, cells, **options):
    """Return the type of a column, its values and the notes on the file."""
    described, table = read(body_of(cells), delimiter=";", **options)
    return described.columns[0].type, table["a"], described.notes


@given(
    before=st.integers(10, 30),
    after=st.integers(0, 30),
    odd=st.sampled_from(["unknown", "<5", "-", "1 00", "n.a."]),
    block_bytes=st.integers(1, 200),
)
def test_the_cell_that_keeps_numbers_from_being_numbers_is_told(
    read, before, after, odd, block_bytes
):
    cells = [f"{i}.5" for i in range(before)] + [odd] + ["7"] * after
    with pytest.MonkeyPatch.context() as patch:
        small = partial(Cutter, block_bytes=block_bytes)
        patch.setattr(csv_source, "Cutter", small)
        kind, _, (note,) = first_of(read, cells)
        assert kind == "categorical"
        assert f"line {before + 2} has the first" in note
        described, _ = read(body_of(cells), delimiter=";", missing=(odd,))
    assert described.columns[0].type == "numeric"
    assert described.columns[0].missing == 1
    assert described.notes == ()


@pytest.mark.parametrize(
    "cells",
    [
        ["x"] * 12 + ["1"] * 12,  # as many texts
        ["1"] * 9 + ["x"],  # few of anything
        ["true", "false"] * 10,
        ["1", "2"] * 10,
        ["0", "0.5", "-0"],
    ],
)
def test_no_such_note_where_nothing_is_odd(read, cells):
    assert first_of(read, cells)[2] == ()


@pytest.mark.parametrize(
    ("cells", "told", "option"),
    [
        (["1", "007"], "line 3 has the first digits that begin with a zero", "numeric"),
        (["1", "9" * 17], "line 3 has the first whole number of more", "numeric"),
        (["1", "1,234"], "thousandfold difference; line 3", "decimal"),
        (["5 %", "5"], "several units", "write one unit"),
        (["$5", "€5"], "several units", "write one unit"),
    ],
)
def test_a_column_of_numbers_that_is_text_names_its_line_and_the_way_out(
    read, cells, told, option
):
    kind, values, (note,) = first_of(read, cells)
    assert kind == "categorical"
    assert values == cells
    assert "'a'" in note
    assert told in note
    assert option in note


def test_what_may_be_a_thousand_times_as_much_is_read_by_option_only(read):
    cells = ["1,234", "5"]
    assert first_of(read, cells, decimal=",")[1] == [1.234, 5]
    assert first_of(read, cells, decimal=".")[1] == [1234, 5]
    note = first_of(read, cells)[2][0]
    assert "decimal=, reads them so" in note
    assert "set thousands apart (decimal=.)" in note


def test_so_are_points_but_as_programs_write_them(read):
    kind, values, (note,) = first_of(read, ["1.234", "5.678"])
    assert (kind, values) == ("numeric", [1.234, 5.678])
    assert "decimal points (line 2" in note
    assert "thousands apart, say decimal=," in note
    assert first_of(read, ["1.234", "5.67"])[2] == ()


def test_an_option_that_another_column_contradicts_is_named(read):
    kind, _, (note,) = first_of(read, ["0,5", "7"], decimal=".")
    assert kind == "categorical"
    assert "decimal commas (line 2)" in note
    assert "decimal=" in note


AMOUNTS = {
    "5%": (5, "percent"),
    "13,2 %": (13.2, "percent"),
    "$1.50": (1.5, "currency"),
    "$44,521.52": (44521.52, "thousands"),
    "44.521,52": (44521.52, "thousands"),
    "1 234": (1234, "thousands"),
    "1\N{NO-BREAK SPACE}234": (1234, "thousands"),
    "1\N{NARROW NO-BREAK SPACE}234,5": (1234.5, "thousands"),
    "1'234.50": (1234.5, "thousands"),
    "1,234,567": (1234567, "thousands"),
    "(5)": (-5, None),
    "($5.25)": (-5.25, "currency"),
    "\N{MINUS SIGN}5.5": (-5.5, None),
    "-5 EUR": (-5, "currency"),
    "0,500": (0.5, "commas"),
}


@pytest.mark.parametrize("text", AMOUNTS)
def test_an_amount_is_a_number_and_noted(read, text):
    value, told = AMOUNTS[text]
    kind, values, notes = first_of(read, [text, text])
    assert (kind, values) == ("numeric", [value, value])
    assert all("'a'" in note for note in notes)
    assert (told is None) == (notes == ())
    assert told is None or any(told in note for note in notes)


LOCALES = {
    "plain": ("", "."),
    "American": (",", "."),
    "German": (".", ","),
    "Swiss": ("'", "."),
    "French": ("\N{NARROW NO-BREAK SPACE}", ","),
    "Spanish": ("", ","),
}


def in_locale(value, locale):
    group, mark = LOCALES[locale]
    text = f"{value:,}".replace(",", "g").replace(".", "m")
    return text.replace("g", group).replace("m", mark)


NUMBERS = st.integers(-(10**7), 10**7) | st.integers(-(10**8), 10**8).map(
    lambda n: n / 1000
)


@given(
    st.lists(NUMBERS, min_size=1, max_size=5),
    st.sampled_from(sorted(LOCALES)),
    st.booleans(),
)
def test_a_number_is_read_as_it_was_meant_or_stays_text(read, values, locale, beside):
    cells = [in_locale(value, locale) for value in values]
    other = in_locale(0.5, locale) if beside else "z"
    described, table = read(body_of(cells, other), delimiter=";")
    grouped_points = locale == "German" and not any("," in cell for cell in cells)
    if described.columns[0].type == "numeric":
        # 1.234 alone is what programs write for a little more than one.
        if beside or not grouped_points:
            assert table["a"] == values
    else:
        assert not beside
        assert "thousandfold" in described.notes[0]
