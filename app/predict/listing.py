"""The predictions of an answer as JSON, row by row or column by column, in parts.

    rows      [{"decision": "+1", "label": ..., ...}, ...]
    columns   {"decision": ["+1", ...], "label": [...], ...}

``fields`` says which members are told, and in which order. Columns are made from
arrays, without an object for each row, and every value has the same digits either way:
it is encoded by the same encoder from the same number.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, get_args

import msgspec
import numpy as np

from app.predict.answer import Prediction, Tally
from app.predict.decided import Decided
from app.predict.envelope import Member
from app.predict.many import COLUMNS, Column, RowByRow, columns_of
from app.predict.question import Question
from app.predict.rows import Rows
from app.reviews.intake import Intake

__all__ = ["Listing", "cases_of", "listing_of"]

_ENCODER = msgspec.json.Encoder()


class Listing(Protocol):
    """The predictions of one answer, as they come."""

    def add(self, rows: Rows, first: int = 0) -> Tally:
        """Answer read rows, the first of which has index ``first``; count them."""

    def pieces(self) -> list[bytes]:
        """Return the JSON of all that were added."""


def listing_of(question: Question) -> Listing:
    """Return where the predictions that answer a question are listed."""
    return _ByColumns(question) if question.by_columns else _ByRows(question)


class _ByRows:
    def __init__(self, question: Question) -> None:
        self._question = question
        self._pieces = [b"["]

    def add(self, rows: Rows, first: int = 0) -> Tally:
        answers, tally = self._question.answer(rows, first)
        members: Any = answers
        if (fields := self._question.fields) is not None:
            members = [{name: _member(row, name) for name in fields} for row in answers]
        self._pieces += (_ENCODER.encode(members)[1:-1], b",")
        return tally

    def pieces(self) -> list[bytes]:
        return [*self._pieces[: max(1, len(self._pieces) - 1)], b"]"]


def _member(row: Prediction, name: str) -> Any:
    value = getattr(row, name)
    return None if value is msgspec.UNSET else value


class _ByColumns:
    def __init__(self, question: Question) -> None:
        self._question = question
        fields = question.fields
        self._wanted = tuple(_usual(question) if fields is None else fields)
        self._lists: dict[str, _Lists] = {}

    def add(self, rows: Rows, first: int = 0) -> Tally:
        asked = self._question
        ready, pricing, labels = asked.ready, asked.pricing, asked.ready.model.labels
        decided = ready.decide(rows, pricing, first, asked.note)
        tally = decided.tally()
        cases = None
        if asked.intake is not None:
            answers = RowByRow(decided, pricing, labels)
            cases = cases_of(asked.intake, answers, decided, tally, rows, first)
        made = [name for name in self._wanted if name in COLUMNS]
        columns = columns_of(decided, pricing, labels, made)
        columns["case"] = cases
        if "explanation" in self._wanted:
            columns["explanation"] = ready.explanations(rows)
        for name in self._wanted:
            self._append(name, columns[name])
        return tally

    def _append(self, name: str, column: Column) -> None:
        if column is None:
            self._lists[name] = None
        elif isinstance(column, dict):
            lists = self._lists.setdefault(name, {part: [] for part in column})
            assert isinstance(lists, dict)  # noqa: S101 - one model, one form
            for part, values in column.items():
                lists[part].append(_ENCODER.encode(values)[1:-1])
        else:
            pieces = self._lists.setdefault(name, [])
            assert isinstance(pieces, list)  # noqa: S101 - as above
            pieces.append(_ENCODER.encode(column)[1:-1])

    def pieces(self) -> list[bytes]:
        return [_members({name: _whole(one) for name, one in self._lists.items()})]


_Lists = list[bytes] | dict[str, list[bytes]] | None
"""A column as JSON, in parts."""


def _whole(lists: _Lists) -> bytes:
    if lists is None:
        return b"null"
    if isinstance(lists, dict):
        return _members({name: _whole(pieces) for name, pieces in lists.items()})
    return b"[" + b",".join(lists) + b"]"


def _members(values: Mapping[str, bytes]) -> bytes:
    encoded = (_ENCODER.encode(name) + b":" + value for name, value in values.items())
    return b"{" + b",".join(encoded) + b"}"


def _usual(question: Question) -> Iterator[Member]:
    """Yield the members of an answer that does not say which it wants."""
    absent = {
        "band": question.pricing.rating is None,
        "case": question.intake is None,
        "explanation": not question.explain,
    }
    return (name for name in get_args(Member) if not absent.get(name))


def cases_of(
    intake: Intake,
    answers: RowByRow,
    decided: Decided,
    tally: Tally,
    rows: Rows,
    first: int,
) -> list[str | None]:
    """Open cases for rejected rows; return the case of each row, None where none is.

    Parameters
    ----------
    intake : Intake
    answers : RowByRow
        Of the rows.
    decided : Decided
    tally : Tally
    rows : Rows
    first : int
        Index in the request of the first of these rows.
    """
    rejected = np.flatnonzero(decided.decisions == 0).tolist()
    intake.take(first, answers, tally, lambda: rows, rejected)
    cases: list[str | None] = [None] * len(answers)
    for i in rejected:
        case = answers[i].case
        cases[i] = None if case is msgspec.UNSET else case
    return cases
