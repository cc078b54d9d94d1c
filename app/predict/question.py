"""What is asked of a model: rows still raw, how to read them and how to price them."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import msgspec
from msgspec import Raw

from app.errors import FieldError, TooManyRowsError
from app.errors.faults import MOST_FAULTS, not_json, unusable
from app.models.queries import ResolvedVersion
from app.predict.answer import Prediction, Tally
from app.predict.envelope import Member
from app.predict.faults import grid_faults, instance_faults, respelled
from app.predict.pricing import Pricing
from app.predict.ready_model import Note, ReadyModel
from app.predict.rows import RowReader, Rows
from app.reviews.intake import Intake

__all__ = ["NO_LIMIT", "Question", "Unreadable", "joined"]

NO_LIMIT = sys.maxsize
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
    references: Sequence[str] | None = None
    intake: Intake | None = None
    """Opens cases for rejected rows, where these are reviewed."""
    fields: Sequence[Member] | None = None
    """The members that are told of a prediction; None: all."""
    by_columns: bool = False
    """Whether predictions are told column by column."""

    def check_rows(self, n: int) -> None:
        """Refuse more rows than a request may have, and references that are not theirs.

        Raises
        ------
        TooManyRowsError, InvalidRequestError
        """
        if self.references is not None and len(self.references) != n:
            detail = f"{len(self.references)} references for {n} rows: one a row"
            raise unusable([FieldError("/references", detail)])
        if n > self.most_rows:
            msg = (
                f"{n} rows; one request may have {self.most_rows}"
                " (DEMUR_MAX_PREDICT_ROWS): send several, or a file to POST"
                " /predict/batch"
            )
            raise TooManyRowsError(msg)
        if self.slow and n > (most := self.ready.explainer.most_rows or n):
            detail = f"{n} rows; of this model at most {most} are explained at once"
            raise unusable([FieldError("/explain", detail)])

    @property
    def slow(self) -> bool:
        """Tell whether answering takes longer than other requests can wait."""
        return self.explain and self.ready.explainer.most_rows is not None

    @property
    def plain(self) -> bool:
        """Tell whether nothing but the usual answer is wanted."""
        return not (
            self.note or self.explain or self.by_columns or self.fields is not None
        )

    def answer(self, rows: Rows, first: int = 0) -> tuple[Sequence[Prediction], Tally]:
        """Return the answers to read rows, the first of which has index ``first``."""
        ready = self.ready
        method = ready.explain if self.explain else ready.answer
        answers, tally = method(rows, self.pricing, first, self.note)
        if self.intake is not None:
            self.intake.take(first, answers, tally, lambda: rows)
        return answers, tally

    def read(self) -> Rows:
        """Return all rows.

        Raises
        ------
        InvalidRequestError
            When any cannot be read; names row and column.
        TooManyRowsError
            When there are more than a request may have.
        """
        try:
            return self.reader.read(self.rows)
        except Unreadable as error:
            return self.read_again(error)

    def read_again(self, error: Exception) -> Rows:
        """Return all rows where a decoder refused them; raises what `read` does."""
        raws = self.raw_rows()
        self.check_rows(len(raws))
        rows, faults = self.look_again(raws, 0, error)
        if rows is None:
            raise unusable(faults) from None
        return rows

    def look_again(
        self, rows: Sequence[Raw], first: int, error: Exception
    ) -> tuple[Rows | None, list[FieldError]]:
        """Return rows that no decoder took, or what is wrong with them.

        Parameters
        ----------
        rows : sequence of raw JSON values
        first : int
            Index in the request of the first of them.
        error : Exception
            What the decoder said.

        Raises
        ------
        MalformedRequestError
            When they are no JSON.
        """
        readers = self.ready.readers
        renamed = respelled(rows, readers.names) if self.columns is None else None
        if renamed is not None:
            try:
                return self.reader.read(joined(renamed)), []
            except Unreadable:
                rows = renamed
        faults = list(islice(self._faults(rows, first), MOST_FAULTS + 1))
        if not faults:
            raise not_json(error) from None
        return None, faults

    def _faults(self, rows: Sequence[Raw], first: int) -> Iterator[FieldError]:
        schema = self.ready.schema
        if self.columns is not None:
            names = self.ready.readers.named(self.columns)
            return grid_faults(rows, names, schema, first)
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


def joined(rows: Sequence[Raw]) -> bytes:
    """Return rows as one JSON list."""
    return b"[" + b",".join(rows) + b"]"
