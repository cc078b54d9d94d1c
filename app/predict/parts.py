"""A question is answered some rows at a time.

Parts bound how long the event loop is held: between two of them other requests get
their turn. The answer's bytes are those of an answer at once (a row's answer does not
depend on its batch), up to the rounding of the mean cost.

Where a time for a part is given, its rows follow the rate of the parts before, up as
well as down: at most twice or half as many as the last one's, so that one hiccup is
forgotten soon, and never fewer than ``LEAST_ROWS``, since a part costs something by
itself. Time is the processor's, not the wall's: what other processes take of it says
nothing about the rows.
"""

from collections.abc import Generator
from math import inf
from time import thread_time
from typing import Any

from msgspec import Raw

from app.errors import FieldError
from app.errors.faults import MOST_FAULTS, unusable
from app.predict.answer import Tally
from app.predict.at_once import Answered, answer, assembled
from app.predict.listing import listing_of
from app.predict.question import Question, Unreadable, joined
from app.predict.rows import Rows

__all__ = ["LEAST_ROWS", "answer_in_parts", "paced"]

LEAST_ROWS = 8


def paced(size: int, spent_s: float, wanted_s: float) -> int:
    """Return how many rows the next part has.

    Parameters
    ----------
    size : int
        Rows of the last part.
    spent_s : float
        Processor time that it took.
    wanted_s : float
        What a part is to take; infinity keeps the size.
    """
    if wanted_s == inf:
        return size
    fitting = size * min(2.0, max(0.5, wanted_s / max(spent_s, 1e-9)))
    return max(LEAST_ROWS, int(fitting))


def answer_in_parts(
    question: Question, size: int, wanted_s: float = inf, *, decoded: bool = False
) -> Generator[None, None, Answered]:
    """Answer ``size`` rows at a time, with a pause after each part.

    Parameters
    ----------
    question : Question
    size : int
        Rows of a part, at first.
    wanted_s : float
        Processor time that a part is to take, whatever rows that makes.
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
    listing = listing_of(question)
    total = Tally()
    first = 0
    yield
    while first < source.n and len(faults) <= MOST_FAULTS:
        began = thread_time()
        rows = source.read(first, size, faults)
        if rows is not None and not faults:
            total.add(listing.add(rows, first))
        first += size
        size = paced(size, thread_time() - began, wanted_s)
        yield
    if faults:
        raise unusable(faults)
    if not source.n:
        return answer(question)  # which members are null, no part has told
    return assembled(question, listing.pieces(), total)


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
            return reader.read(joined(self.raw[part]))
        except Unreadable as error:
            rows, found = self._question.look_again(self.raw[part], first, error)
            faults += found
            return rows

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
