"""What bodies say of themselves: types, charsets, codings; packed bodies and bombs."""

import asyncio
import gzip
from itertools import pairwise

import pyarrow as pa
import pytest

from app.errors import (
    BodyTooLargeError,
    MalformedRequestError,
    UnsupportedMediaTypeError,
)
from app.web.content import Unpacking, charset_of, coding_of, is_json, without_mark

PACK = {"gzip": gzip.compress, "zstd": lambda b: pa.compress(b, "zstd", asbytes=True)}


def unpacked(tmp_path, coding, packed, most=1 << 24, pieces=7):
    """Return the body that a packed one becomes, its parts, and what was read of it."""
    cuts = [len(packed) * i // pieces for i in range(pieces + 1)]
    parts = [packed[a:b] for a, b in pairwise(cuts)]
    unpacking = Unpacking(coding, BodyTooLargeError("large"), most, tmp_path)

    async def receive():
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def main():
        found = []
        while True:
            message = await unpacking.next(receive)
            found.append(message["body"])
            if not message["more_body"]:
                return found

    try:
        return asyncio.run(main())
    finally:
        unpacking.close()


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.parametrize("size", [0, 1, 70_000, 3_000_000])
def test_what_was_packed_comes_out(tmp_path, coding, size):
    body = b"".join(b"%d," % i for i in range(size // 6 + 1))[:size]
    parts = unpacked(tmp_path, coding, PACK[coding](body))
    assert b"".join(parts) == body
    assert max(map(len, parts)) <= 1 << 20
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("coding", PACK)
def test_a_bomb_is_refused_while_it_is_read(tmp_path, coding):
    bomb = PACK[coding](bytes(1 << 26))
    assert len(bomb) < 1 << 17
    seen = []
    with pytest.raises(BodyTooLargeError):
        seen += unpacked(tmp_path, coding, bomb, most=1 << 21)
    with pytest.raises(BodyTooLargeError):  # packed already more than it may be
        unpacked(tmp_path, coding, bomb, most=len(bomb) // 2)


@pytest.mark.parametrize("coding", PACK)
def test_what_is_not_packed_or_cut_off_is_malformed(tmp_path, coding):
    packed = PACK[coding](b"a,b\n1,2\n" * 1000)
    for broken in (packed[:-5], packed[: len(packed) // 2], b"a,b\n1,2\n", b"\0" * 50):
        with pytest.raises(MalformedRequestError):
            unpacked(tmp_path, coding, broken)


@pytest.mark.parametrize("value", [b"gzip", b"X-GZIP", b" zstd ", b"", b"identity"])
def test_codings_that_are_taken(value):
    assert coding_of(value) in ("gzip", "zstd", None)


@pytest.mark.parametrize(
    "value", [b"br", b"deflate", b"gzip, gzip", b"gzip,zstd", b"x"]
)
def test_others_are_refused_with_those_that_are_taken(value):
    with pytest.raises(UnsupportedMediaTypeError) as raised:
        coding_of(value)
    assert raised.value.headers["accept-encoding"] == "gzip, zstd"


@pytest.mark.parametrize(
    "content_type",
    [
        b"application/json",
        b"Application/JSON ; Charset=UTF-8",
        b'application/json; charset="utf8"',
        b"application/json; charset=us-ascii",
        b"application/vnd.demur+json",
        b"application/json; a=b",
    ],
)
def test_json_however_it_is_spelt(content_type):
    assert is_json(content_type)


@pytest.mark.parametrize(
    "content_type",
    [
        b"",
        b"text/plain",
        b"text/json",
        b"application/x-www-form-urlencoded",
        b"multipart/form-data; boundary=application/json",
        b"text/plain; application/json",
        b"application/jsonp",
        b"application/json; charset=utf-16",
        b"application/json; charset=latin-1",
    ],
)
def test_no_json(content_type):
    assert not is_json(content_type)


def test_a_charset_that_nobody_knows_is_refused():
    assert charset_of(b"text/csv; charset=Windows-1252") == "cp1252"
    for unknown in (b"utf-9", b"\xff"):
        with pytest.raises(UnsupportedMediaTypeError):
            charset_of(b"text/csv; charset=" + unknown)


def test_one_byte_order_mark_goes():
    assert without_mark(b"\xef\xbb\xbf{}") == without_mark(b"{}") == b"{}"
