"""CSV files: read as uploads are, what is missing, and faults by line and column."""

import csv
import io
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.client.csv_table import CsvTable, TableError, read_csv
from app.datasets.reading.convert import to_parquet
from app.datasets.reading.limits import Limits
from app.datasets.reading.opening import open_source
from app.datasets.reading.options import ReadOptions
from app.errors import InvalidRequestError


@pytest.fixture
def table(tmp_path):
    def write(text: str, **options) -> CsvTable:
        path = tmp_path / "table.csv"
        path.write_bytes(text.encode())
        return read_csv(path, ReadOptions(**options))

    return write


def test_types_are_read_off_the_cells(table):
    read = table("n,b,s,z,none\n1,true,x,007,\n2.5,FALSE,1,010,?\n-3e2,,NA,011,NA\n")
    assert read.kinds() == {
        "n": "numeric",
        "b": "boolean",
        "s": "categorical",
        "z": "categorical",
        "none": "numeric",
    }
    assert read.typed(read.kinds()) == [
        [1, True, "x", "007", None],
        [2.5, False, "1", "010", None],
        [-300, None, None, "011", None],
    ]


CELLS = st.sampled_from(
    [
        *["", "?", "NA", "N/A", "nan", "NaN", "null", "1", "-2.5", " 3 ", "1e3", "1,5"],
        *["true", "False", "TRUE", "fAlse", "yes", " a b ", "9007199254740993", "9e15"],
        *['q"q', "a\nb", "ä", "inf", "1_000", "0x1f", "1e999", ";", "1;2", "x"],
    ]
)


def uploaded(path: Path, options: ReadOptions) -> list[dict[str, Any]] | str:
    """Return the rows that an upload would keep, or why it would be refused."""
    target = path.with_suffix(".parquet")
    try:
        source = open_source(path, "csv", options, Limits())
        to_parquet(source, target, options, Limits())
    except InvalidRequestError as error:
        return f"{path}: {error.detail}"
    rows: list[dict[str, Any]] = pq.read_table(target).to_pylist()
    return rows


def read_here(path: Path, options: ReadOptions) -> list[dict[str, Any]] | str:
    """Return the rows that a command sends, or why it would not."""
    try:
        read = read_csv(path, options)
        rows = read.typed(read.kinds())
    except TableError as error:
        return str(error)
    return [dict(zip(read.columns, row, strict=True)) for row in rows]


@settings(max_examples=150)
@given(
    columns=st.lists(st.lists(CELLS, min_size=1, max_size=3), min_size=2, max_size=4),
    rows=st.integers(1, 6),
    decimal=st.sampled_from([".", ","]),
    delimiter=st.sampled_from([",", ";", "\t"]),
    head=st.sampled_from(["", "\ufeff"]),
)
def test_a_file_is_read_as_its_upload_would_be(
    tmp_path_factory, columns, rows, decimal, delimiter, head
):
    """Each column repeats some cells; both sides refuse it, or agree on every value."""
    folder = tmp_path_factory.mktemp("read")
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    names = [f"c{j}" for j in range(len(columns))]
    writer.writerow(names)
    writer.writerows([cells[i % len(cells)] for cells in columns] for i in range(rows))
    path = folder / "t.csv"
    path.write_bytes((head + text.getvalue()).encode())
    options = ReadOptions(decimal=decimal)
    assert read_here(path, options) == uploaded(path, options)


def test_a_mark_at_the_start_quotes_and_windows_lines_are_read(table):
    read = table('\ufeffa,"b ""c"""\r\n1,"x,\r\ny"\r\n2,z\r\n')
    assert read.columns == ["a", 'b "c"']
    assert list(read.rows()) == [("1", "x,\r\ny"), ("2", "z")]
    assert [read.line(row) for row in range(3)] == [2, 4, None]


def test_lines_are_known_in_files_of_many_blocks(table):
    filling = "x" * 500
    read = table("a,b\n" + f"1,{filling}\n" * 6000 + "two,y\n")
    assert len(read.batches) > 1
    assert [read.line(row) for row in (0, 3000, 6000)] == [2, 3002, 6002]
    with pytest.raises(TableError, match=r"line 6002, column 1 \('a'\): not a number"):
        read.typed({"a": "numeric"})


def test_only_the_columns_that_are_asked_for_are_read(table):
    read = table("a;b;c\n1,5;x;2\n", decimal=",")
    assert read.typed({"c": "numeric", "a": "numeric"}) == [[1.5, 2]]


@pytest.mark.parametrize("text", ["1_000", "0x1f", "9007199254740993"])
def test_what_is_no_number_of_a_float64_is_text(table, text):
    read = table(f"a,b\n1,2\n{text},3\n")
    assert read.kinds() == {"a": "categorical", "b": "numeric"}
    assert read.typed(read.kinds()) == [["1", 2], [text, 3]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("a,b\n", "no rows"),
        ("a,a\n1,2\n", "names are unique"),
        ("a,b\n1,2\n3\n", "line 3: 1 cells"),
        ('a\n"1\n', "never closed"),
        ("a,b\n1,inf\n", None),
    ],
)
def test_faults_are_told(table, text, words):
    with pytest.raises(TableError, match=words or "line 2, column 2 .*infinite"):
        table(text).typed({"b": "numeric"})


def test_other_encodings_are_refused_or_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n\xe9,1\n")
    with pytest.raises(TableError, match="no UTF-8; name the encoding"):
        read_csv(path)
    assert list(read_csv(path, ReadOptions(encoding="latin-1")).rows()) == [("é", "1")]


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(TableError, match="No such file"):
        read_csv(tmp_path / "none.csv")


def test_a_cell_of_another_type_is_named_by_line_and_column(table):
    read = table("a,b\n1,x\n\ntwo,y\n")
    with pytest.raises(TableError, match=r"line 4, column 1 \('a'\): not a number"):
        read.typed({"a": "numeric", "b": "categorical"})


def test_labels_are_read_as_their_column(table):
    read = table("a\n1\n")
    assert read.label("1", "numeric") == 1
    assert read.label("1", "categorical") == "1"
    assert read.label("True", "boolean") is True
    with pytest.raises(TableError, match="'yes'"):
        read.label("yes", "numeric")
