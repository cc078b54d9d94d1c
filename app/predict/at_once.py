"""A request and a model become a question, and the question is answered at once.

Larger requests are answered in parts: `app.predict.parts`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from msgspec import Raw

from app.errors import FieldError
from app.errors.faults import unusable
from app.journal.entries import Entry
from app.models.queries import ResolvedVersion
from app.predict.answer import Tally
from app.predict.envelope import Envelope, decode_grid
from app.predict.listing import listing_of
from app.predict.pricing import pricing_at
from app.predict.question import NO_LIMIT, Question, Unreadable
from app.predict.ready_model import ReadyModel, tail
from app.reviews.intake import Intake, check_references

__all__ = [
    "Answered",
    "answer",
    "ask",
    "assembled",
    "has_more_keys",
]

BACKSLASH = ord("\\")
_ENCODER = msgspec.json.Encoder()


@dataclass(slots=True)  # not frozen: see `app.predict.question`
class Answered:
    """The bytes of an answer in pieces, and what is to be counted of it."""

    pieces: tuple[bytes, ...]
    version: ResolvedVersion
    tally: Tally
    logged: bytes = b""
    """Lines of the prediction log that were made already."""
    intake: Intake | None = None
    """The cases that are to be opened before the answer goes out."""

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
    question = Question(
        ready, version, reader, rows, columns, ignore, pricing, explain, note, most_rows
    )
    if envelope.layout == "columns":
        question.by_columns = True
    if (fields := envelope.fields) is not None:
        if "explanation" in fields and not explain:
            detail = 'an explanation is told where the request says "explain": true'
            raise unusable([FieldError("/fields", detail)])
        question.fields = list(dict.fromkeys(fields))
    if (references := envelope.references) is not None:
        check_references(references)
        question.references = references
    if (terms := version.review) is not None:
        named = (version.name, version.version)
        facts = (ready.model.labels, pricing.prices, ready.schema)
        question.intake = Intake(terms, named, *facts, references)
    return question


def answer(question: Question) -> Answered:
    """Answer all rows at once.

    Raises
    ------
    InvalidRequestError
        When rows cannot be read; names row and column.
    TooManyRowsError
        When there are more than a request may have.
    """
    reader, single, answered = question.reader, question.ready.single, None
    try:
        decoded = reader.decode(question.rows)
        question.check_rows(len(decoded))
        if len(decoded) == 1 and question.plain:
            answered = single.answer(reader.cells(decoded), question.pricing)
        if answered is not None:
            if question.intake is not None:
                question.intake.take(
                    0, answered[:1], answered[1], lambda: reader.split(decoded)
                )
            return assembled(question, (_ENCODER.encode(answered[:1]),), answered[1])
        rows = reader.split(decoded)
    except Unreadable as error:
        rows = question.read_again(error)
    listing = listing_of(question)
    tally = listing.add(rows)
    return assembled(question, listing.pieces(), tally)


def has_more_keys(
    body: bytes, envelope: Envelope, question: Question, n_rows: int
) -> bool:
    """Tell whether a body that was answered may hold keys that nobody has read.

    Every key has a colon behind it: where there are no more colons than the keys and
    texts that were read have, no key stands twice. A body may have more for another
    reason (a colon in a category); it is then looked at as any other.
    """
    known = 2 + envelope.model.count(":") + envelope.explain + question.by_columns
    known += envelope.fields is not None
    if envelope.costs is not None:
        known += 1 + envelope.costs.colons
    if question.columns is None:
        known += n_rows * question.ready.readers.colons
    else:
        known += 2 + sum(name.count(":") for name in question.columns)
    return body.count(b":") != known or BACKSLASH in body


def assembled(question: Question, listed: Sequence[bytes], tally: Tally) -> Answered:
    """Return the answer around its predictions, which are pieces of one JSON value."""
    head = question.ready.head(question.version, question.pricing)
    pieces = (head, *listed, tail(tally))
    return Answered(pieces, question.version, tally, intake=question.intake)
