"""The CSV files of reviews, read as every other CSV file of the service is.

Delimiter, ``sep=;``, encoding, empty columns at the end and names are found and refused
by the same code; a cell is the text that was written.
"""

from collections.abc import Iterator

from app.datasets.options import read_options
from app.datasets.reading.blocks import Block, Cutter
from app.datasets.reading.csv import Layout, split_header, strings
from app.datasets.reading.limits import Limits
from app.datasets.schemas import ReadQuery
from app.errors import FieldError, InvalidRequestError
from app.errors.faults import unusable

__all__ = ["read_rows"]

Row = dict[str, str]


def read_rows(body: bytes, charset: str | None) -> tuple[tuple[str, ...], list[Row]]:
    """Return the names of a file and its rows.

    Parameters
    ----------
    body : bytes
    charset : str or None
        That the content type names.

    Raises
    ------
    InvalidRequestError
        When it is no such file, or a row is not as wide as the names.
    UnsupportedMediaTypeError
        When text in that charset is not taken.
    """
    options, limits = read_options(ReadQuery(), charset=charset), Limits()
    cutter = Cutter(options, limits)
    blocks = _blocks(body, cutter)
    first = next(blocks, None)
    if first is None:
        detail = "the file is empty: its first line has the names of the columns"
        raise unusable([FieldError("/header", detail)])
    layout, _, rest = split_header(first, options, limits, kept=False)
    rows: list[Row] = []
    for block in (rest, *blocks):
        if block.data:
            rows.extend(_rows(block, layout, len(rows)))
    if cutter.recoded:  # a data set tells in a note what was guessed
        msg = (
            "the file is no UTF-8: name its charset in the content type, such as"
            " text/csv; charset=windows-1252"
        )
        raise InvalidRequestError(msg)
    return layout.named, rows


def _blocks(body: bytes, cutter: Cutter) -> Iterator[Block]:
    yield from cutter.feed(body)
    yield from cutter.finish()


def _rows(block: Block, layout: Layout, first_row: int) -> list[Row]:
    named = layout.named
    table = strings(block, layout, first_row, named)
    columns = [column.to_pylist() for column in table.columns]
    return [
        dict(zip(named, cells, strict=True)) for cells in zip(*columns, strict=True)
    ]
