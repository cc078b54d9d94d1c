"""The delimiter of a CSV file, found in its first records.

Of those that cut the first record into several cells, the one by which most of the next
records have as many; of equals, the one that gives most cells. Where none does, the
file has one column, and the comma is as good as any.
"""

from app.datasets.reading.grammar import grammar_of
from app.datasets.reading.options import DELIMITERS

__all__ = ["sniff"]

_HEAD_BYTES = 1 << 16
_RECORDS = 25


def sniff(data: bytes) -> str:
    """Return the delimiter that fits the beginning of ``data`` best."""
    filled = data.lstrip(b"\r\n")
    return max(DELIMITERS.values(), key=lambda delimiter: _fit(filled, delimiter))


def _fit(data: bytes, delimiter: str) -> tuple[float, int]:
    """Return the share of records as wide as the first, and that width."""
    grammar = grammar_of(delimiter)
    head = data[:_HEAD_BYTES]
    # The names of very many columns alone may be longer than that.
    complete = head[: grammar.complete(head)] or data[: grammar.complete(data)]
    widths = [len(cells) for cells in grammar.sample(complete, _RECORDS)]
    if not widths or widths[0] == 1:
        return 0.0, 1
    return widths.count(widths[0]) / len(widths), widths[0]
