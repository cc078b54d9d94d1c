import pytest

from app.datasets.reading.limits import Limits
from app.errors import InvalidRequestError


def types(described):
    return {column.name: column.type for column in described.columns}


def test_types_are_those_that_the_whole_column_allows(read):
    described, table = read(
        b"age,smokes,city,code,empty\n"
        b"1,true,Bern,1,\n"
        b"2.5,False,Genf,x,?\n"
        b"NA,,  Bern ,3,NA\n"
    )
    assert types(described) == {
        "age": "numeric",
        "smokes": "boolean",
        "city": "categorical",
        "code": "categorical",
        "empty": "numeric",
    }
    assert table == {
        "age": [1.0, 2.5, None],
        "smokes": [True, False, None],
        "city": ["Bern", "Genf", "Bern"],
        "code": ["1", "x", "3"],
        "empty": [None, None, None],
    }
    assert [column.missing for column in described.columns] == [1, 1, 0, 0, 3]


def test_european_file(read):
    body = (
        '\ufeffgröße;note\r\n1,5;"a\nb"\r\n-2,25e1;"say ""hi"""\r\n?;plain\r\n'
    ).encode()
    described, table = read(body, decimal=",")
    assert table == {
        "größe": [1.5, -22.5, None],
        "note": ["a\nb", 'say "hi"', "plain"],
    }
    assert types(described) == {"größe": "numeric", "note": "categorical"}


def test_decimal_commas_need_no_option(read):
    described, table = read(b"a;b\n1,5;x,y\n2,5;z\n")
    assert table["a"] == [1.5, 2.5]
    assert described.notes == ("column 'a' was read with decimal commas (line 2)",)


def test_with_a_decimal_comma_points_set_thousands_apart(read):
    _, table = read(b"a;b\n1.234,5;1.23\n2,5;2\n", decimal=",")
    assert table == {"a": [1234.5, 2.5], "b": ["1.23", "2"]}


def test_what_has_to_be_numbers_and_may_be_two_is_refused(read):
    with pytest.raises(InvalidRequestError, match="line 2, 'a': its commas may") as no:
        read(b"a;b\n1,234;1\n", types=(("a", "numeric"),))
    assert "thousandfold" in no.value.detail


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("named", [True, False])
def test_delimiters_are_found_or_named(read, delimiter, named):
    body = "a,b,c\n1,2,x\n3,4,y\n".replace(",", delimiter).encode()
    options = {"delimiter": delimiter} if named else {}
    assert read(body, **options)[1] == {"a": [1, 3], "b": [2, 4], "c": ["x", "y"]}


def test_the_delimiter_is_found_beside_decimal_commas_and_quoted_ones(read):
    body = b'a;b\n1,5;"x;y"\n2,5;"z;"\n'
    assert read(body, decimal=",")[1] == {"a": [1.5, 2.5], "b": ["x;y", "z;"]}


def test_one_column_keeps_its_blank_lines_as_missing_values(read):
    described, table = read(b"a\n1\n\n2\n")
    assert table == {"a": [1, None, 2]}
    assert described.columns[0].missing == 1


def test_blank_lines_of_a_wider_file_are_no_rows(read):
    assert read(b"\n\na,b\n\n1,2\n\r\n3,4\n\n")[1] == {"a": [1, 3], "b": [2, 4]}


def test_a_file_without_header_has_numbered_columns(read):
    assert read(b"1,x\n2,y\n", header=False)[1] == {
        "column_1": [1, 2],
        "column_2": ["x", "y"],
    }


def test_declared_types_win(read):
    _, table = read(b"zip,flag\n00123,true\n4,false\n", types=(("zip", "categorical"),))
    assert table == {"zip": ["00123", "4"], "flag": [True, False]}


def test_identifiers_that_a_float_would_change_stay_text(read):
    described, table = read(b"id,n\n9007199254740993,9007199254740992.5\n2,3\n")
    assert table["id"] == ["9007199254740993", "2"]
    assert types(described) == {"id": "categorical", "n": "numeric"}


def test_marks_of_missing_values_can_be_named(read):
    _, table = read(b"a,b\n-9,x\n1,-9\n", missing=("-9",))
    assert table == {"a": [None, 1], "b": ["x", None]}


@pytest.mark.parametrize(
    ("encoding", "python"),
    [("utf-16", "utf-16"), ("latin-1", "latin-1"), ("windows-1252", "cp1252")],
)
def test_named_encodings(read, encoding, python):
    body = "name;b\nZürich;1\n".encode(python)
    assert read(body, encoding=encoding)[1] == {"name": ["Zürich"], "b": [1]}


GERMAN = "größe;Preis;PLZ\r\n1,5;1.234,50 €;01067\r\n2,25;999,00 €;80331\r\n"
AMERICAN = 'size,price,zip\r\n1.5,"$1,234.50",01067\r\n2.25,$999.00,80331\r\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", ["", "sep=;\r\n"])
def test_a_spreadsheet_in_german_needs_no_options(read, encoding, separator):
    described, table = read((separator + GERMAN).encode(encoding))
    assert table == {
        "größe": [1.5, 2.25],
        "Preis": [1234.5, 999],
        "PLZ": ["01067", "80331"],
    }
    noted = any("windows-1252" in note for note in described.notes)
    assert noted == (encoding == "cp1252")
    line = 3 if separator else 2
    assert any(f"line {line} has the first digits" in note for note in described.notes)


@pytest.mark.parametrize("separator", ["", "sep=,\r\n"])
def test_nor_does_one_in_english(read, separator):
    _, table = read((separator + AMERICAN).encode("utf-8-sig"))
    assert table == {
        "size": [1.5, 2.25],
        "price": [1234.5, 999],
        "zip": ["01067", "80331"],
    }


def test_empty_columns_at_the_end_are_passed_over(read):
    described, table = read(b"a;b;;\n1;x;;\n2;y; ;\n")
    assert table == {"a": [1, 2], "b": ["x", "y"]}
    assert described.notes == (
        "columns without name or value at the end of the lines were passed over: 2",
    )


@pytest.mark.parametrize("header", ["1990,1991,1992", "0,1,y", "x0,1.5,y"])
def test_numbers_that_may_be_names_are_taken(read, header):
    assert read(f"{header}\n7,8,9\n".encode())[0].rows == 1


def test_a_header_of_numbers_is_taken_where_it_is_said_to_be_one(read):
    body = b"5.1,3.5,x\n4.9,3,x\n"
    assert read(body, header=True)[1] == {"5.1": [4.9], "3.5": [3], "x": ["x"]}
    assert read(body, header=False)[0].rows == 2


def test_quotes_inside_an_unquoted_cell_are_text(read):
    body = b'a,b\n5" pipe,1\n"x"y,2\n"p ""q""",3\n'
    assert read(body)[1]["a"] == ['5" pipe', "xy", 'p "q"']


def test_a_byte_order_mark_within_the_file_is_white_space(read):
    rows = b"\xef\xbb\xbfx,1\n" * 300_000
    table = read(b"a,b\n" + rows)[1]
    assert set(table["a"]) == {"x"}


REFUSED = {
    "empty": (b"", {}, "the file is empty"),
    "only blank lines": (b"\n\r\n", {}, "the file is empty"),
    "header only": (b"a,b\n", {}, "no rows"),
    "ragged": (b'a,b\n"x\ny",1\n1,2,3\n', {}, "line 4: 3 cells"),
    "short": (b"a,b\n1,2\n\n3\n", {}, "line 4: 1 cells"),
    "duplicate": (b"a,b,a\n1,2,3\n", {}, "line 1, column 3: the name is that of col"),
    "row numbers": (b",b\n1,2\n", {}, "index=False (pandas), row.names=FALSE (R)"),
    "UTF-16 without mark": ("a,b\n1,2\n".encode("utf-16-le"), {}, "save the file as"),
    "unnamed": (b",b\n1,2\n", {}, "line 1, column 1: the column has no name"),
    "NUL": (b"a,b\n1,2\n3,\x004\n", {}, "line 3: a NUL byte"),
    "no UTF-8": (b"a,b\nz,2\n3,\xff4\n", {"encoding": "utf-8"}, "line 3: no UTF-8"),
    "UTF-8 at first": (b"a,b\n\xc3\xa9,2\n3,\xff4\n", {}, "no UTF-8"),
    "no text": (b"a,b\n1,2\n3,\x81\n", {}, "no UTF-8"),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), {"encoding": "utf-8"}, "encoding=utf-16"),
    "a row as header": (b"5.1,3.5,x\n4.9,3,x\n", {}, "header=false"),
    "values without a name": (b"a,b,\n1,2,\n3,4,5\n", {}, "line 3, column 3: the"),
    "broken UTF-16": (b"\xff\xfea\x00\n\x001\x00\n", {"encoding": "utf-16"}, "no utf-"),
    "open quote": (b'a,b\n1,2\n3,"4\n5,6\n', {}, "line 3: a quote is opened"),
    "lone return": (b"a,b\n1,2\r3,4\n", {}, "line 2: a carriage return"),
    "lone return beside quotes": (b'a,b\n"1",2\r3,4\n', {}, "line 2: a carriage"),
    "old lines": (b"a,b\r1,2\r3,4", {}, "a carriage return"),
    "infinite": (b"a,b\n1,2\ninf,4\n", {}, "line 3, column 1 ('a'): the number is inf"),
    "too large": (b"a,b\n1,1e999\n", {}, "line 2, column 2 ('b'): the number"),
    "declared": (
        b"a,b\n1,2\n\nx,4\n",
        {"types": (("a", "numeric"),)},
        "line 4, column 1 ('a'): not a number",
    ),
    "declared boolean": (
        b"a,b\n1,2\n",
        {"types": (("a", "boolean"),)},
        "line 2, column 1 ('a'): neither true nor false",
    ),
    "declared, not there": (b"a\n1\n", {"types": (("z", "numeric"),)}, "no column 'z'"),
    "quote in a name": (b'"a""",b\n1,2\n', {}, "line 1, column 1: a name has"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_its_place(read, case):
    body, options, told = REFUSED[case]
    with pytest.raises(InvalidRequestError) as refusal:
        read(body, **options)
    assert told in refusal.value.detail


LIMITED = {
    "rows": (Limits(rows=2), b"a,b\n1,2\n3,4\n5,6\n", "line 4, column"[:6]),
    "columns": (Limits(columns=2), b"a,b,c\n1,2,3\n", "3 columns, where at most 2"),
    "cell": (Limits(cell_length=3), b"a,b\nx,1\nlong,2\n", "line 3, column 1 ('a')"),
    "name": (Limits(name_length=3), b"long,b\n1,2\n", "line 1, column 1: the name"),
}


@pytest.mark.parametrize("case", LIMITED)
def test_limits(read, case):
    limits, body, told = LIMITED[case]
    with pytest.raises(InvalidRequestError) as refusal:
        read(body, limits=limits)
    assert told in refusal.value.detail


def test_a_record_without_end_is_refused_before_it_fills_the_memory(read):
    body = b'a,b\n1,"' + b"x\n" * 4_000_000
    with pytest.raises(InvalidRequestError, match="line 2: a record is longer"):
        read(body, limits=Limits(record_bytes=1_000_000))


def test_the_place_is_right_far_into_the_file(read):
    body = b'a,b\n"x\ny",1\n' + b"u,2\n" * 600_000 + b"v,oops\n"
    with pytest.raises(InvalidRequestError) as refusal:
        read(body, types=(("b", "numeric"),))
    error = refusal.value.errors[0]
    assert "line 600004, column 2 ('b')" in error.detail
    assert (error.row, error.column) == (600_001, "b")
    assert "oops" not in str(refusal.value.problem())
