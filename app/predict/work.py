"""A request and a model become a question, and the question is answered at once.

Larger requests are answered in parts: `app.predict.parts`.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import msgspec
from msgspec import Raw

from app.errors import FieldError, TooManyRowsError
from app.features.faults import MAX_FAULTS, unusable
from app.journal.entries import Entry
from app.models.queries import ResolvedVersion
from app.predict.answer import Prediction, Tally
from app.predict.envelope import Envelope, decode_grid, malformed
from app.predict.faults import grid_faults, instance_faults
from app.predict.pricing import Pricing, pricing_at
from app.predict.ready import Note, ReadyModel, tail
from app.predict.rows import RowReader, Rows

__all__ = ["Answered", "Question", "Unreadable", "answer", "ask", "assembled"]

NO_LIMIT = sys.maxsize
_ENCODER = msgspec.json.Encoder()
_LIST = msgspec.json.Decoder(list[Raw])

Unreadable = (ValueError, RecursionError)


@dataclass(slots=True)  # not frozen, which would take a microsecond of each request
class Question:
    """What is asked of a model: rows still raw, how to read them, how to price them."""

    ready: ReadyModel
    version: ResolvedVersion
    reader: RowReader
    rows: Raw
    columns: list[str] | None
    ignore_extra: bool
    pricing: Pricing
    explain: bool = False
    note: Note | None = None
    """Is told what was decided, where the prediction log is on."""
    most_rows: int = NO_LIMIT

    def check_rows(self, n: int) -> None:
        """Refuse more rows than a request may have.

        Raises
        ------
        TooManyRowsError
        """
        if n > self.most_rows:
            msg = (
                f"{n} rows; one request may have {self.most_rows}"
                " (DEMUR_MAX_PREDICT_ROWS): send several, or a file to POST"
                " /predict/batch"
            )
            raise TooManyRowsError(msg)

    @property
    def plain(self) -> bool:
        """Tell whether nothing but the answer is wanted."""
        return self.note is None and not self.explain

    def answer(self, rows: Rows, first: int = 0) -> tuple[Sequence[Prediction], Tally]:
        """Return the answers to read rows, the first of which has index ``first``."""
        if self.explain:
            return self.ready.explain(rows, self.pricing, first, self.note)
        return self.ready.answer(rows, self.pricing, first, self.note)

    def faults(self, rows: Sequence[Raw], first: int) -> Iterator[FieldError]:
        """Yield what is wrong with raw rows, the first of which has index ``first``."""
        schema = self.ready.schema
        if self.columns is not None:
            return grid_faults(rows, self.columns, schema, first)
        ignore = self.ignore_extra
        return instance_faults(rows, schema, ignore_extra=ignore, first=first)

    def raw_rows(self) -> list[Raw]:
        """Return the rows one by one, each unread.

        Raises
        ------
        InvalidRequestError
            When they are no list.
        """
        try:
            return _LIST.decode(self.rows)
        except msgspec.ValidationError:
            pointer = "/instances" if self.columns is None else "/data/rows"
            raise unusable([FieldError(pointer, "rows are a list")]) from None


@dataclass(slots=True)  # as above
class Answered:
    """The bytes of an answer in pieces, and what is to be counted of it."""

    pieces: tuple[bytes, ...]
    version: ResolvedVersion
    tally: Tally
    logged: bytes = b""
    """Lines of the prediction log that were made already."""

    @property
    def body(self) -> bytes:
        """The answer in one piece."""
        return b"".join(self.pieces)


def ask(
    ready: ReadyModel,
    version: ResolvedVersion,
    envelope: Envelope,
    entry: Entry | None = None,
    most_rows: int = NO_LIMIT,
) -> Question:
    """Return the question that a request puts to this model.

    Parameters
    ----------
    ready : ReadyModel
    version : ResolvedVersion
    envelope : Envelope
    entry : Entry, optional
        Of the prediction log: takes what will be decided.
    most_rows : int
        That a request may have.

    Raises
    ------
    InvalidRequestError
        When columns or costs do not fit the model, or it cannot explain its answers.
    """
    ignore = envelope.ignore_extra
    columns = None
    if isinstance(envelope.instances, Raw):
        reader = ready.readers.objects(ignore_extra=ignore)
        rows = envelope.instances
    else:
        assert isinstance(envelope.data, Raw)  # noqa: S101 - read_envelope saw to it
        grid = decode_grid(envelope.data)
        columns, rows = grid.columns, grid.rows
        reader = ready.readers.lists(columns, ignore_extra=ignore)
    costs = envelope.costs
    pricing = ready.pricing if costs is None else pricing_at(ready.model, costs)
    # Refused here, before any row is read.
    explain = envelope.explain and ready.explainer is not None
    note = None
    if entry is not None:
        entry.begin(version, pricing)
        note = entry.note
    return Question(
        ready, version, reader, rows, columns, ignore, pricing, explain, note, most_rows
    )


def answer(question: Question) -> Answered:
    """Answer all rows at once.

    Raises
    ------
    InvalidRequestError
        When rows cannot be read; names row and column.
    TooManyRowsError
        When there are more than a request may have.
    """
    reader, single, told = question.reader, question.ready.single, None
    try:
        decoded = reader.decode(question.rows)
        question.check_rows(len(decoded))
        if len(decoded) == 1 and question.plain:
            told = single.answer(reader.cells(decoded), question.pricing)
        if told is not None:
            return assembled(question, (_ENCODER.encode(told[:1]),), told[1])
        rows = reader.split(decoded)
    except Unreadable as error:
        faults = tuple(islice(question.faults(question.raw_rows(), 0), MAX_FAULTS + 1))
        raise (unusable(faults) if faults else malformed(error)) from None
    answers, tally = question.answer(rows)
    return assembled(question, (_ENCODER.encode(answers),), tally)


def assembled(question: Question, listed: Sequence[bytes], tally: Tally) -> Answered:
    """Return the answer around its predictions: pieces of one JSON list."""
    head = question.ready.head(question.version, question.pricing)
    return Answered((head, *listed, tail(tally)), question.version, tally)
