"""CSV as strangers send it: tables written well and then damaged, and noise."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from app.datasets.reading.options import ReadOptions

__all__ = ["LONG", "bodies", "options"]

LONG = 20_000
"""Examples of a long form."""

_CELLS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.integers(-(2**70), 2**70).map(str),
    st.sampled_from(["", " ", "?", "NA", " NA ", "nan", "true", "FALSE", "0", "1"]),
    st.sampled_from(["1,5", "1.234,5", "1e5", "0x1f", "+", "-", "=1+1", "." * 40]),
    st.sampled_from(["a", "b", "é", "\U0001f600", '"', '""', 'a"b', "a\nb", "a\r\nb"]),
    st.sampled_from(["\r", "x;y", "x,y", "x|y", "\t", "\ufeff"]),
    st.text(alphabet='ab1.,;"\n\r\t |?é', max_size=6),
)
_JUNK = st.one_of(
    st.sampled_from([b'"', b'""', b",", b";", b"\t", b"|", b"\r", b"\n", b"\r\n"]),
    st.sampled_from([b"\0", b"\x1a", b"\x0b", b" ", b"\xff", b"\xc3", b"\xed\xa0\x80"]),
    st.sampled_from([b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\n\n"]),
    st.sampled_from([b"1e999", b"inf", b"nan", b"x", b"kind", b"demur_score"]),
)
_PLACE = st.integers(0, 10_000)


def _inserted(body: bytes, at: int, size: int, junk: bytes) -> bytes:
    del size
    return body[:at] + junk + body[at:]


def _replaced(body: bytes, at: int, size: int, junk: bytes) -> bytes:
    return body[:at] + junk + body[at + size :]


def _dropped(body: bytes, at: int, size: int, junk: bytes) -> bytes:
    del junk
    return body[:at] + body[at + size :]


def _doubled(body: bytes, at: int, size: int, junk: bytes) -> bytes:
    del junk
    return body[: at + size] + body[at:]


def _cut(body: bytes, at: int, size: int, junk: bytes) -> bytes:
    del size, junk
    return body[:at]


_DAMAGE: Sequence[Callable[[bytes, int, int, bytes], bytes]] = (
    _inserted,
    _replaced,
    _dropped,
    _doubled,
    _cut,
)


@st.composite
def _damaged(draw: st.DrawFn, names: Sequence[str], encoding: str) -> bytes:
    """Draw a table, write it, damage it."""
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(_CELLS, min_size=width, max_size=width), max_size=8))
    header = draw(st.permutations(names))[:width]
    header += [f"more{j}" for j in range(width - len(header))]
    out = io.StringIO()
    writer = csv.writer(
        out,
        delimiter=draw(st.sampled_from(",;\t|")),
        lineterminator=draw(st.sampled_from(["\n", "\r\n"])),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    writer.writerows([header, *rows])
    body = out.getvalue().encode(encoding, "replace")
    for _ in range(draw(st.integers(0, 4))):
        harm = draw(st.sampled_from(_DAMAGE))
        at = draw(_PLACE) % (len(body) + 1)
        body = harm(body, at, draw(st.integers(1, 9)), draw(_JUNK))
    return body


def bodies(*names: str) -> st.SearchStrategy[bytes]:
    """Return a strategy of files, most of which have columns of these names."""
    head = (",".join(names) + "\n").encode()
    return st.one_of(
        _damaged(names, "utf-8"),
        _damaged(names, "utf-8"),
        _damaged(names, "utf-16"),
        _damaged(names, "latin-1"),
        st.binary(max_size=200),
        st.binary(max_size=200).map(head.__add__),
        st.lists(_JUNK, max_size=30).map(b"".join).map(head.__add__),
    )


def options(**more: Any) -> st.SearchStrategy[ReadOptions]:
    """Return a strategy of what a caller may say of a file; ``more`` as keywords."""
    kinds: dict[str, Any] = {
        "delimiter": st.sampled_from([None, ",", ";", "\t", "|"]),
        "encoding": st.sampled_from(
            ["utf-8", "utf-8", "utf-16", "latin-1", "windows-1252"]
        ),
        "missing": st.sampled_from([(), ("",), ("", "?", "NA"), ("-1", "a")]),
        **more,
    }
    with_point = st.builds(ReadOptions, **kinds)
    return st.one_of(with_point, with_point.map(_with_comma))


def _with_comma(chosen: ReadOptions) -> ReadOptions:
    return chosen if chosen.delimiter == "," else replace(chosen, decimal=",")
