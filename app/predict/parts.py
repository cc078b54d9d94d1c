"""A question is answered some rows at a time.

Parts bound how long the event loop is held: between two of them other requests get
their turn. The answer's bytes are those of an answer at once (a row's answer does not
depend on its batch), up to the rounding of the mean cost.
"""

from collections.abc import Generator
from itertools import islice
from math import inf
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Raw

from app.errors import FieldError
from app.features.faults import MAX_FAULTS, unusable
from app.predict.answer import Tally
from app.predict.envelope import malformed
from app.predict.rows import Rows
from app.predict.work import Answered, Question, Unreadable, assembled

__all__ = ["answer_in_parts"]

_ENCODER = msgspec.json.Encoder()


def answer_in_parts(
    question: Question, size: int, longest_s: float = inf, *, decoded: bool = False
) -> Generator[None, None, Answered]:
    """Answer ``size`` rows at a time, with a pause after each part.

    Parameters
    ----------
    question : Question
    size : int
        Rows of a part, at first.
    longest_s : float
        After a part that took longer, parts are half as large.
    decoded : bool
        Whether all rows are decoded before the first part: faster where nobody waits,
        and takes more memory.

    Raises
    ------
    InvalidRequestError
        When rows cannot be read; faults of all parts are collected.
    TooManyRowsError
        When there are more than a request may have.
    """
    source = _Source(question, decoded=decoded)
    faults: list[FieldError] = []
    listed = [b"["]
    total = Tally()
    first = 0
    yield
    while first < source.n and len(faults) <= MAX_FAULTS:
        began = perf_counter()
        rows = source.read(first, size, faults)
        if rows is not None and not faults:
            answers, tally = question.answer(rows, first)
            listed += (_ENCODER.encode(answers)[1:-1], b",")
            total.add(tally)
        first += size
        if perf_counter() - began > longest_s:
            size = max(1, size // 2)
        yield
    if faults:
        raise unusable(faults)
    listed[max(1, len(listed) - 1) :] = (b"]",)
    return assembled(question, listed, total)


class _Source:
    """The rows of a question: decoded, or each as it was sent."""

    def __init__(self, question: Question, *, decoded: bool) -> None:
        self._question = question
        self._decoded = _decoded(question) if decoded else None
        self._raw = question.raw_rows() if self._decoded is None else None
        self.n = len(self._raw or self._decoded or ())
        question.check_rows(self.n)

    def read(self, first: int, size: int, faults: list[FieldError]) -> Rows | None:
        """Return some rows; or None, with their faults added."""
        reader, part = self._question.reader, slice(first, first + size)
        try:
            if self._decoded is not None:
                return reader.split(self._decoded[part])
            return reader.read(b"[" + b",".join(self.raw[part]) + b"]")
        except Unreadable as error:
            found = self._question.faults(self.raw[part], first)
            listed = list(islice(found, MAX_FAULTS + 1))
            if not listed:
                raise malformed(error) from None
            faults += listed
            return None

    @property
    def raw(self) -> list[Raw]:
        """The rows as they were sent."""
        if self._raw is None:
            self._raw = self._question.raw_rows()
        return self._raw


def _decoded(question: Question) -> list[Any] | None:
    """Return all rows; None where any is at fault."""
    try:
        return question.reader.decode(question.rows)
    except Unreadable:
        return None
