r"""A stream of bytes, cut into blocks of whole CSV records.

    feed(chunk) -> blocks        finish() -> the last blocks

Each block knows the line that it begins on, so a fault in it can be placed without
reading anything again, and blocks can be converted independently of each other.
Memory: one block and what was fed since, whatever the size of the stream.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from app.datasets.reading.faults import fault
from app.datasets.reading.grammar import Grammar, grammar_of
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ReadOptions
from app.datasets.reading.sniff import sniff
from app.errors import InvalidRequestError

__all__ = ["BLOCK_BYTES", "RECODED", "Block", "Cutter", "check_text"]

BLOCK_BYTES = 1 << 20
RECODED = "the file is no UTF-8 and was read as windows-1252; encoding= names another"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEPARATOR = re.compile(rb'"?sep=([,;|\t])"?\r?\n')
_NO_UTF8 = "no UTF-8; name the encoding of the file, such as windows-1252"
_LONE_RETURN = (
    "a carriage return without a line feed; end lines with LF or CRLF, and quote a"
    " cell that holds one"
)


@dataclass(frozen=True, slots=True)
class Block:
    """Whole records of one file, each ended by a line feed, and their grammar."""

    data: bytes
    first_line: int
    grammar: Grammar

    def line_at(self, offset: int) -> int:
        """Return the line of a byte of the block."""
        return self.first_line + self.data.count(b"\n", 0, offset)


class Cutter:
    """Cut a stream into blocks.

    Raises
    ------
    InvalidRequestError
        From ``feed`` and ``finish``: bytes that are no text of the given encoding, NUL
        bytes, a lone carriage return, a quote that is never closed, a record too long.
    """

    def __init__(
        self, options: ReadOptions, limits: Limits, block_bytes: int = BLOCK_BYTES
    ) -> None:
        self._options, self._limits, self._target = options, limits, block_bytes
        self._decode = _decoder(options.encoding)
        self._delimiter = options.delimiter
        self._grammar: Grammar | None = None
        self._waiting: list[bytes] = []
        self._size, self._wanted, self._line = 0, block_bytes, 1
        self._begun = False

    def feed(self, chunk: bytes) -> Iterator[Block]:
        """Take the next bytes; yield what they complete."""
        for start in range(0, len(chunk), self._target):
            self._take(chunk[start : start + self._target], final=False)
            if self._size >= self._wanted:
                yield from self._cut(final=False)

    def finish(self) -> Iterator[Block]:
        """Yield the last records; the file may lack its last line feed."""
        self._take(b"", final=True)
        yield from self._cut(final=True)

    def _take(self, chunk: bytes, *, final: bool) -> None:
        try:
            text = self._decode(chunk, final)
        except UnicodeError:
            line = self._line + sum(part.count(b"\n") for part in self._waiting)
            named = self._options.encoding
            not_in_encoding = f"the text is no {named} from about here on"
            raise fault(
                _NO_UTF8 if named == "auto" else not_in_encoding, line=line
            ) from None
        self._waiting.append(text)
        self._size += len(text)

    def _cut(self, *, final: bool) -> Iterator[Block]:
        data = b"".join(self._waiting)
        self._waiting = [data]
        if not (final or self._begun) and len(data) < len(codecs.BOM_UTF8):
            return  # it may still turn out to be a byte order mark
        data = self._separated(self._begin(data))
        self._waiting = [data]
        if final and data and not data.endswith(b"\n"):
            data += b"\n"
        if not data:
            return
        grammar = self._grammar or grammar_of(self._delimiter or sniff(data))
        end = grammar.complete(data)
        if end < len(data):
            self._check_rest(data, end, grammar, final=final)
        if self._grammar is None and not data[:end].strip(b"\r\n"):
            # The first record is still to come: it says what the delimiter is.
            end = end if final else 0
            self._check_blank(data)
        else:
            self._grammar = grammar
        self._waiting, self._size = [data[end:]], len(data) - end
        # An unfinished record is looked at again only when it has doubled.
        self._wanted = max(self._target, 2 * self._size)
        if end:
            block = Block(data[:end], self._line, grammar)
            self._line += block.data.count(b"\n")
            check_text(block.data, block.first_line)
            _check_returns(block)
            yield block

    def _begin(self, data: bytes) -> bytes:
        """Take the byte order mark off the first bytes."""
        if self._begun:
            return data
        self._begun = True
        if data.startswith(_UTF16):
            msg = "the file is UTF-16; say so: encoding=utf-16"
            raise InvalidRequestError(msg)
        return data.removeprefix(codecs.BOM_UTF8)

    def _separated(self, data: bytes) -> bytes:
        """Take the line ``sep=;`` off the first bytes, which spreadsheets write."""
        match = None if self._line > 1 else _SEPARATOR.match(data)
        if match is None:
            return data
        self._delimiter = self._delimiter or match[1].decode()
        self._line += 1
        return data[match.end() :]

    @property
    def recoded(self) -> bool:
        """Whether the text was no UTF-8, and was read as windows-1252."""
        return isinstance(self._decode, _Guessed) and self._decode.recoded

    def _check_blank(self, data: bytes) -> None:
        if len(data) > self._limits.record_bytes:
            detail = f"no record in the first {self._limits.record_bytes} bytes"
            raise fault(detail, line=1)

    def _check_rest(
        self, data: bytes, end: int, grammar: Grammar, *, final: bool
    ) -> None:
        """Refuse an unfinished record that no further byte can finish."""
        match = grammar.start.match(data, end)
        stop = match.end() if match else end
        line = self._line + data.count(b"\n", 0, stop)
        if data[stop : stop + 1] == b"\r" and stop + 1 < len(data):
            raise fault(_LONE_RETURN, line=line)
        if final:
            msg = "a quote is opened here and never closed"
            raise fault(msg, line=line)
        if len(data) - end > self._limits.record_bytes:
            detail = (
                f"a record is longer than {self._limits.record_bytes} bytes;"
                " is a quote left open?"
            )
            raise fault(detail, line=line)


class _Guessed:
    """Chunks of UTF-8 as they are; of UTF-16 or windows-1252 turned into UTF-8.

    A file that has shown letters of UTF-8 stays UTF-8: what is none later is a fault.
    """

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._other: codecs.IncrementalDecoder | None = None
        self._begun = self._shown = self.recoded = False
        self._held = b""

    def __call__(self, chunk: bytes, final: bool) -> bytes:
        if not self._begun:
            chunk = self._held + chunk
            self._held = chunk if len(chunk) < 2 and not final else b""
            if self._held:
                return b""
            self._begun = True
            if chunk.startswith(_UTF16):
                self._other = codecs.getincrementaldecoder("utf-16")()
        if self._other is not None:
            return self._other.decode(chunk, final).encode()
        try:
            text = self._utf8.decode(chunk, final)
        except UnicodeDecodeError as error:
            seen = error.object[: error.start]
            if self._shown or not seen.isascii():
                raise
            self.recoded = True
            self._other = codecs.getincrementaldecoder("windows-1252")()
            return self._other.decode(error.object, final).encode()
        self._shown = self._shown or not text.isascii()
        return text.encode()


def _decoder(encoding: str) -> Callable[[bytes, bool], bytes]:
    """Return what turns chunks of an encoding into chunks of UTF-8."""
    if encoding == "auto":
        return _Guessed()
    if encoding == "utf-8":
        return lambda chunk, _: chunk  # checked block by block, with its place
    decoder = codecs.getincrementaldecoder(encoding)()
    return lambda chunk, final: decoder.decode(chunk, final).encode()


def check_text(data: bytes, first_line: int) -> None:
    """Refuse NUL bytes and bytes that are no UTF-8."""
    zero = data.find(b"\0")
    if zero >= 0:
        line = first_line + data.count(b"\n", 0, zero)
        msg = (
            "a NUL byte; is this a text file? UTF-16 is known by its mark: without"
            " one, save the file as UTF-8"
        )
        raise fault(msg, line=line)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        raise fault(_NO_UTF8, line=line) from None


def _check_returns(block: Block) -> None:
    """Refuse a carriage return that ends no line and stands in no quotes."""
    data = block.data
    # Among quoted cells the grammar has let none pass that is not quoted.
    if b'"' in data or data.count(b"\r") == data.count(b"\r\n"):
        return
    raw = np.frombuffer(data, dtype=np.uint8)
    returns = np.flatnonzero(raw == ord("\r"))
    lone = returns[raw[returns + 1] != ord("\n")]
    raise fault(_LONE_RETURN, line=block.line_at(int(lone[0])))
