"""Files that begin strangely: with a mark, blank lines, a very long first record."""

from functools import partial

import pytest

from app.datasets.reading import csv_source
from app.datasets.reading.blocks import Cutter
from app.datasets.reading.csv_source import CsvSource
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ReadOptions
from app.errors import InvalidRequestError


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("blank", [0, 1, 5])
@pytest.mark.parametrize("block_bytes", [1, 2, 3, 7, 1 << 20])
def test_a_mark_and_blank_lines_before_the_names_are_passed_over(
    read, monkeypatch, end, mark, blank, block_bytes
):
    small = partial(Cutter, block_bytes=block_bytes)
    monkeypatch.setattr(csv_source, "Cutter", small)
    body = mark + end * blank + end.join([b"a;b", b"1;2", b"3;4"])
    _, found = read(body)
    assert found == {"a": [1.0, 3.0], "b": [2.0, 4.0]}


def test_more_blank_lines_than_a_block_holds(read):
    _, found = read(b"\n" * 3_000_000 + b"a;b\n1;2\n")
    assert found == {"a": [1.0], "b": [2.0]}


def test_nothing_but_blank_lines_is_refused_before_it_fills_the_memory(read):
    with pytest.raises(InvalidRequestError, match="no record in the first 5000 bytes"):
        read(b"\n" * 3_000_000, limits=Limits(record_bytes=5000))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("digits", [8, 200], ids=["81 kB", "1.8 MB"])
def test_the_delimiter_is_found_however_long_the_first_record_is(
    tmp_path, delimiter, digits
):
    names = tuple(f"{j:0{digits}}" for j in range(9_000))
    file = tmp_path / "wide.csv"
    file.write_text("\n".join(map(delimiter.join, [names, ["1"] * len(names)])))
    assert CsvSource(file, ReadOptions(), Limits()).names == names
