"""CSV files: types, what is missing, and faults by line and column."""

import pytest

from app.client.csv_table import TableError, as_label, read_csv


@pytest.fixture
def table(tmp_path):
    def write(text: str):
        path = tmp_path / "table.csv"
        path.write_bytes(text.encode())
        return read_csv(path)

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


def test_a_mark_at_the_start_quotes_and_windows_lines_are_read(table):
    read = table('\ufeffa,"b ""c"""\r\n1,"x,\r\ny"\r\n2,z\r\n')
    assert read.columns == ["a", 'b "c"']
    assert read.rows == [["1", "x,\r\ny"], ["2", "z"]]
    assert read.lines == [3, 4]


@pytest.mark.parametrize("text", ["nan", "inf", "-Infinity", "1_000", "0x1f", "1e999"])
def test_what_is_no_finite_number_is_text(table, text):
    assert table(f"a\n1\n{text}\n").kinds() == {"a": "categorical"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no rows|no name"),
        ("a,b\n", "no rows"),
        ("a,a\n1,2\n", "two columns are named 'a'"),
        ("a,\n1,2\n", "column 2 has no name"),
        ("a,b\n1,2\n3\n", "line 3 has 1 cells"),
        ('a\n"1\n', "no CSV file"),
    ],
)
def test_faults_are_told(table, text, words):
    with pytest.raises(TableError, match=words):
        table(text)


def test_other_encodings_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n\xe9\n")
    with pytest.raises(TableError, match="UTF-8"):
        read_csv(path)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(TableError, match="No such file"):
        read_csv(tmp_path / "none.csv")


def test_a_cell_of_another_type_is_named_by_line_and_column(table):
    read = table("a,b\n1,x\n\ntwo,y\n")
    with pytest.raises(TableError, match="line 4, column 'a': a number"):
        read.typed({"a": "numeric", "b": "categorical"})


def test_labels_are_read_as_their_column():
    assert as_label("1", "numeric") == 1
    assert as_label("1", "categorical") == "1"
    assert as_label("True", "boolean") is True
    with pytest.raises(TableError, match="'yes'"):
        as_label("yes", "numeric")
