r"""The grammar of CSV (RFC 4180, read as leniently as Arrow and Python read it).

    record = field *(delimiter field) ("\n" | "\r\n")
    field  = quote *(any but quote | quote quote) quote *plain
           | [(plain but quote) *plain]
    plain  = any but delimiter, "\r", "\n"

A quote opens a quoted field only where a field begins; elsewhere it is text. A block
without any quote needs no grammar: its records end at its line feeds. Nor does one in
which every second quote stands where a field begins, or behind another quote: quotes
then open and close in turn, and records end at the line feeds between pairs of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

__all__ = ["Grammar", "grammar_of"]

_QUOTE, _FEED, _RETURN = b'"\n\r'


@dataclass(frozen=True, slots=True)
class Grammar:
    """The patterns of one delimiter, over bytes."""

    delimiter: bytes
    field: re.Pattern[bytes]
    start: re.Pattern[bytes]
    """A record without its end; where it stops says what is wrong with a bad one."""
    record: re.Pattern[bytes]
    records: re.Pattern[bytes]

    def complete(self, data: bytes) -> int:
        """Return where the last complete record of ``data`` ends."""
        if b'"' not in data:
            return data.rfind(b"\n") + 1
        ends = self._outside_pairs(data)
        if ends is not None:
            return int(ends[-1]) if len(ends) else 0
        match = self.records.match(data)
        return match.end() if match else 0

    def ends(self, data: bytes) -> NDArray[np.int64]:
        """Return where each record of a block of complete records ends."""
        if not data:
            return np.empty(0, dtype=np.int64)
        if b'"' not in data:
            raw = np.frombuffer(data, dtype=np.uint8)
            return np.flatnonzero(raw == ord("\n")).astype(np.int64) + 1
        places = self._outside_pairs(data)
        if places is not None:
            return places
        return np.fromiter(
            (match.end() for match in self.record.finditer(data)), dtype=np.int64
        )

    def _outside_pairs(self, data: bytes) -> NDArray[np.int64] | None:
        """Return what `ends` does where quotes open and close in turn, else None."""
        raw = np.frombuffer(data, dtype=np.uint8)
        quotes = np.flatnonzero(raw == _QUOTE)
        before = raw[quotes[::2] - 1]
        fine = (before == self.delimiter[0]) | (before == _FEED) | (before == _QUOTE)
        fine[0] |= quotes[0] == 0
        if not fine.all():
            return None
        returns = _outside(np.flatnonzero(raw == _RETURN), quotes)
        if len(returns) and (
            returns[-1] + 1 == len(raw) or (raw[returns + 1] != _FEED).any()
        ):
            return None
        return _outside(np.flatnonzero(raw == _FEED), quotes) + 1

    def lines(self, data: bytes, first_line: int) -> Iterator[tuple[int, bytes]]:
        """Yield every record as the line that it begins on and its bytes."""
        start, line = 0, first_line
        for end in self.ends(data).tolist():
            record = data[start:end]
            yield line, record.removesuffix(b"\n").removesuffix(b"\r")
            start, line = end, line + record.count(b"\n")

    def cells(self, record: bytes) -> list[str]:
        """Return the cells of one record, without quotes."""
        cells, at = [], 0
        while True:
            match = self.field.match(record, at)
            text = match[0] if match else b""
            cells.append(_unquoted(text).decode(errors="replace"))
            at += len(text)
            if at >= len(record):
                return cells
            at += 1

    def sample(self, data: bytes, size: int) -> list[list[str]]:
        """Return the first complete records that are not blank."""
        filled = (record for _, record in self.lines(data, 1) if record)
        return [self.cells(record) for record in islice(filled, size)]


def _outside(places: NDArray[np.int64], quotes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places with an even number of quotes before them."""
    return np.asarray(places[np.searchsorted(quotes, places) % 2 == 0])


def _unquoted(text: bytes) -> bytes:
    if not text.startswith(b'"'):
        return text
    inside, _, rest = text[1:].replace(b'""', b"\0").partition(b'"')
    return inside.replace(b"\0", b'"') + rest.replace(b"\0", b'""')


@lru_cache(maxsize=8)
def grammar_of(delimiter: str) -> Grammar:
    """Return the grammar of a delimiter (one ASCII character)."""
    d = re.escape(delimiter.encode())
    plain = rb"[^" + d + rb"\r\n]"
    field = (
        rb'(?:"[^"]*+(?:""[^"]*+)*+"' + plain + rb"*+"
        rb'|[^"' + d + rb"\r\n]" + plain + rb"*+|)"
    )
    start = field + rb"(?:" + d + field + rb")*+"
    record = start + rb"\r?\n"
    return Grammar(
        delimiter.encode(),
        re.compile(field),
        re.compile(start),
        re.compile(record),
        re.compile(rb"(?:" + record + rb")*+"),
    )
