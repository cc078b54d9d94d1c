"""The grammar against Python's reader and Arrow's, on any text of its alphabet."""

import csv
import io
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.datasets.reading.blocks import Cutter
from app.datasets.reading.csv import Layout, records_of, strings
from app.datasets.reading.grammar import grammar_of
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ReadOptions
from app.errors import ApiError

cell = st.text(alphabet='ab ,;"\n1.é', max_size=6)
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=8
    )
)
SOUP = st.text(alphabet='a,"\n\r;é', max_size=40)


def written(rows, delimiter=",", end="\n"):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(rows)
    return out.getvalue().encode()


@given(TABLES, st.sampled_from([",", ";"]), st.sampled_from(["\n", "\r\n"]))
def test_what_python_writes_is_read_back(rows, delimiter, end):
    data = written(rows, delimiter, end)
    grammar = grammar_of(delimiter)
    assert grammar.complete(data) == len(data)
    records = [record for _, record in grammar.lines(data, 1)]
    assert [grammar.cells(record) for record in records] == rows


@given(TABLES, st.integers(1, 7), st.integers(16, 64))
def test_blocks_are_the_file_whatever_the_chunks(rows, chunk, target):
    data = written(rows)
    cutter = Cutter(ReadOptions(delimiter=","), Limits(), target)
    blocks = [
        block
        for start in range(0, len(data), chunk)
        for block in cutter.feed(data[start : start + chunk])
    ]
    blocks += cutter.finish()
    assert b"".join(block.data for block in blocks) == data
    for before, after in pairwise(blocks):
        assert after.first_line == before.first_line + before.data.count(b"\n")


@given(SOUP)
def test_a_block_that_is_let_through_is_cut_as_python_and_arrow_cut_it(text):
    cutter = Cutter(ReadOptions(delimiter=","), Limits())
    try:
        blocks = [*cutter.feed(text.encode()), *cutter.finish()]
    except ApiError:
        return
    for block in blocks:
        records = [
            block.grammar.cells(record)
            for _, record in block.grammar.lines(block.data, 1)
        ]
        read = csv.reader(io.StringIO(block.data.decode(), newline=""))
        assert [cells or [""] for cells in read] == records
        for width in {len(cells) for cells in records}:
            same = [cells for cells in records if len(cells) == width]
            layout = Layout(
                tuple(f"c{j}" for j in range(width)), block.grammar, crlf=False
            )
            kept = [
                record
                for _, record in records_of(block, layout)
                if len(block.grammar.cells(record)) == width
            ]
            part = type(block)(b"".join(r + b"\n" for r in kept), 1, block.grammar)
            if not part.data:
                continue
            table = strings(part, layout, 0)
            columns = [column.to_pylist() for column in table.columns]
            if width > 1:
                same = [cells for cells in same if cells != [""]]
            assert [list(row) for row in zip(*columns, strict=True)] == same


def test_the_work_grows_with_the_size_alone():
    grammar = grammar_of(",")
    hostile = b'"' * 200_001 + b"," + b'""' * 100_000
    assert grammar.complete(hostile) == 0
    assert grammar.complete(b'a"b,' * 200_000 + b"\n") == 800_001


@pytest.mark.parametrize("delimiter", ["|", "\t"])
def test_delimiters_with_a_meaning_in_patterns(delimiter):
    grammar = grammar_of(delimiter)
    assert grammar.cells(f"a{delimiter}b".encode()) == ["a", "b"]


PIECES = st.sampled_from(
    ['"a"', '""', "a", ",", ",", "\n", "\n", "\r\n", '"', '"x\ny"', '"a""b"', "\r", ";"]
)


@given(st.one_of(SOUP, st.lists(PIECES, max_size=20).map("".join)))
def test_records_end_where_the_patterns_say_with_and_without_pairs_of_quotes(text):
    assume('"' in text)  # else lone returns are looked for later, block by block
    data, grammar = text.encode(), grammar_of(",")
    end = grammar.records.match(data).end()
    assert grammar.complete(data) == end
    complete = data[:end]
    ends = [match.end() for match in grammar.record.finditer(complete)]
    assert grammar.ends(complete).tolist() == ends


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
def test_no_pattern_is_asked_for_what_is_quoted_as_usual(quoting):
    rows = [[f'say "{i}"', "two\nlines", "", str(i)] for i in range(50)]
    out = io.StringIO()
    csv.writer(out, quoting=quoting, lineterminator="\r\n").writerows(rows)
    data = out.getvalue().encode()
    grammar = grammar_of(",")
    expected = [match.end() for match in grammar.record.finditer(data)]
    without = replace(grammar, record=None, records=None)
    assert without.ends(data).tolist() == expected
    assert without.complete(data + b'"open\n') == len(data)
