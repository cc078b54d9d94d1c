"""Blocks of CSV records as Arrow columns of text; ragged rows told by their line.

    first block -> Layout (names) and the rest of the block
    block, first row -> table of strings, one column a name, cells as they were written

A blank line is no row, but in a file of one column, where it is a missing value.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
from pyarrow import csv

from app.datasets.reading.blocks import Block
from app.datasets.reading.faults import fault
from app.datasets.reading.grammar import Grammar
from app.datasets.reading.limits import Limits
from app.datasets.reading.names import check_header, check_names
from app.datasets.reading.options import ReadOptions
from app.errors import InvalidRequestError
from app.features.values import trimmed

__all__ = ["Layout", "place_of", "records_of", "split_header", "strings"]

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Layout:
    """What the first record says of all the others."""

    names: tuple[str, ...]
    grammar: Grammar
    crlf: bool
    unnamed: int = 0
    """How many columns at the end have no name, and are passed over where empty."""

    @property
    def named(self) -> tuple[str, ...]:
        """The names of the columns that have one."""
        return self.names[: len(self.names) - self.unnamed]

    @property
    def blank_is_row(self) -> bool:
        """Whether a blank line is a row: only where there is one column."""
        return len(self.names) == 1


def split_header(
    block: Block, options: ReadOptions, limits: Limits, *, kept: bool = True
) -> tuple[Layout, bytes, Block]:
    """Take the names off the first block; ``kept`` as in ``check_names``.

    Returns
    -------
    tuple of Layout, bytes, Block
        The header's own bytes (empty without one), and the block that is left.
    """
    data, grammar = block.data, block.grammar
    start = len(data) - len(data.lstrip(b"\r\n"))
    match = grammar.record.match(data, start)
    if match is None:
        msg = "the file is empty"
        raise InvalidRequestError(msg)
    cells = grammar.cells(match[0].removesuffix(b"\n").removesuffix(b"\r"))
    crlf = match[0].endswith(b"\r\n")
    if options.header is False:
        numbered = [f"column_{j + 1}" for j in range(len(cells))]
        return Layout(check_names(numbered, limits), grammar, crlf), b"", block
    line, end = block.line_at(start), match.end()
    if kept and options.header is None:
        check_header(cells, line)
    filled = len(cells)
    while filled > 1 and not trimmed(cells[filled - 1]):
        filled -= 1
    names = check_names(cells[:filled], limits, line=line, kept=kept)
    # No other column has such a name: it is not printable.
    names += tuple(f"\0{j}" for j in range(filled, len(cells)))
    rest = replace(block, data=data[end:], first_line=block.line_at(end))
    layout = Layout(names, grammar, crlf, len(cells) - filled)
    return layout, data[start:end], rest


def strings(
    block: Block,
    layout: Layout,
    first_row: int,
    wanted: Sequence[str] | None = None,
) -> pa.Table:
    """Return the cells of a block as they were written, without their quotes.

    Parameters
    ----------
    block : Block
    layout : Layout
    first_row : int
        The rows of the file before this block, to place faults.
    wanted : sequence of str, optional
        Only these columns, in this order.

    Raises
    ------
    InvalidRequestError
        When a record is not as wide as the first one.
    """
    names = layout.names
    # Arrow would take a byte order mark at the start of any block for that of a file.
    skipped = int(block.data.startswith(_BOM))
    data = b"\n" + block.data if skipped else block.data
    try:
        return csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(
                use_threads=False,
                block_size=len(data) + 1,
                skip_rows=skipped,
                column_names=names,
            ),
            parse_options=csv.ParseOptions(
                delimiter=layout.grammar.delimiter.decode(),
                newlines_in_values=b'"' in data,
                ignore_empty_lines=not layout.blank_is_row,
            ),
            convert_options=csv.ConvertOptions(
                check_utf8=False,  # the whole block was
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=False,
                include_columns=wanted,
            ),
        )
    except pa.ArrowInvalid:
        raise _ragged(block, layout, first_row) from None


def _ragged(block: Block, layout: Layout, first_row: int) -> InvalidRequestError:
    """Find the first record that is not as wide as the header."""
    wanted = len(layout.names)
    for row, (line, record) in enumerate(records_of(block, layout), first_row):
        width = len(layout.grammar.cells(record))
        if width != wanted:
            detail = (
                f"{width} cells, where the first record has {wanted}; quote a cell that"
                " holds the delimiter, or name the delimiter"
            )
            return fault(detail, line=line, row=row)
    return fault("the records from here on cannot be read", line=block.first_line)


def records_of(block: Block, layout: Layout) -> list[tuple[int, bytes]]:
    """Return the line and the bytes of every record that is a row."""
    lines = block.grammar.lines(block.data, block.first_line)
    return [record for record in lines if record[1] or layout.blank_is_row]


def place_of(block: Block, layout: Layout, index: int) -> int:
    """Return the line that row ``index`` of a block begins on."""
    return records_of(block, layout)[index][0]
