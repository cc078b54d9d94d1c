"""Cases of the rejected rows of a file.

    rows -> ids of cases (an open one of the same reference, else a fresh one)
         -> the file's column; the new ones beside the file
    the whole file is answered -> all cases are opened, a thousand at a time

So a file that is refused, wherever its fault stands, opens none. Where another request
opens a case of one of its references meanwhile, the file is answered anew: it names
that one then.

A part of a job may be answered twice, since its worker may die between cases and end.
The id of a case then follows from the job and what the row is called, so that the
second attempt opens none anew, also where the first one's are closed by now.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from uuid import UUID, uuid5

import msgspec
import numpy as np
import pyarrow as pa
from sqlalchemy import select

from app.batch.columns import guards_of
from app.datasets.reading.arrow_sources import is_text
from app.datasets.reading.faults import fault
from app.datasets.reading.sources import Batch
from app.db.review_tables import Case
from app.db.session import Database
from app.db.tables import new_id
from app.features.schema import FeatureSchema
from app.predict.answer import NAMES, REASONS
from app.predict.decided import Decided
from app.predict.rows import Rows
from app.reviews.intake import REFERENCE, draws
from app.reviews.new_case import NewCase, Origin, features_of
from app.reviews.opening import open_cases
from app.reviews.policy import AUDIT

__all__ = ["FileCases", "JobPart", "Overtaken", "references_of"]

AT_ONCE = 1000
_LOOKED_UP = 500
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(tuple)
_REFERENCE = re.compile(REFERENCE)


class Overtaken(Exception):  # noqa: N818 - not told to anybody
    """Cases of the same references were opened meanwhile."""


@dataclass(frozen=True, slots=True)
class _Row:
    """Where a row stands, and what its caller calls it."""

    index: int
    reference: str | None


@dataclass(frozen=True, slots=True)
class JobPart:
    """The part of a job that a file is."""

    job: str
    name: str

    def called(self, row: int) -> str:
        """Return what a row is called that its caller has no name for."""
        return f"{self.job}/{self.name}/{row}"

    def case_of(self, reference: str) -> str:
        """Return the id of the row's case."""
        return str(uuid5(UUID(self.job), reference))


class FileCases:
    """The cases of one file; blocks may come from several threads.

    Parameters
    ----------
    origin : Origin
    schema : FeatureSchema
    database : Database
    spool : Path
        Where the new cases wait until the whole file is answered.
    part : JobPart, optional
        What the file is of, where it may be answered again.
    """

    def __init__(
        self,
        origin: Origin,
        schema: FeatureSchema,
        database: Database,
        spool: Path,
        part: JobPart | None = None,
    ) -> None:
        self._origin, self._schema, self._database = origin, schema, database
        self._spool, self._ids, self._lock = spool, dict[str, str](), Lock()
        self._given_up, self._part = False, part
        spool.write_bytes(b"")

    def give_up(self) -> None:
        """Name no case from now on: they could not be stored."""
        self._given_up = True

    def of(
        self,
        rows: Rows,
        decided: Decided,
        references: Sequence[str] | None,
        first_row: int = 0,
    ) -> pa.StringArray:
        """Return the case of each row; null where it has none.

        Parameters
        ----------
        rows : Rows
        decided : Decided
        references : sequence of str, or None
            What the caller calls the rows.
        first_row : int
            Index in the file of the first.
        """
        terms, part = self._origin.terms, self._part
        if references is None and part is not None:
            last_row = first_row + len(decided.decisions)
            references = [part.called(row) for row in range(first_row, last_row)]
        cases: list[str | None] = [None] * len(decided.decisions)
        if self._given_up:
            return pa.array(cases, pa.string())
        reasons = guards_of(decided)
        new: list[NewCase] = []
        asked = [
            _Row(i, None if references is None else references[i])
            for i in np.flatnonzero(decided.decisions == 0).tolist()
            if REASONS[reasons[i]] in terms.send
        ]
        known = self._open([row.reference for row in asked if row.reference])
        for row in asked:
            fresh = self._new_id(row)
            with self._lock:
                there = known.get(row.reference or "", fresh)
                name = row.reference or fresh
                cases[row.index] = case_id = self._ids.setdefault(name, there)
            if case_id == fresh:
                reason = REASONS[reasons[row.index]]
                new.append(self._case(rows, decided, row, reason, case_id))
        new += self._audits(rows, decided, references)
        self._keep(new)
        return pa.array(cases, pa.string())

    def _new_id(self, row: _Row) -> str:
        if self._part is None or row.reference is None:
            return new_id()
        return self._part.case_of(row.reference)

    def _open(self, references: Sequence[str]) -> dict[str, str]:
        ids: dict[str, str] = {}
        for start in range(0, len(references), _LOOKED_UP):
            query = select(Case.open_reference, Case.id).where(
                Case.model_id == self._origin.terms.model_id,
                Case.open_reference.in_(references[start : start + _LOOKED_UP]),
            )
            with self._database.read() as session:
                ids.update((str(name), i) for name, i in session.execute(query))
        return ids

    def _audits(
        self, rows: Rows, decided: Decided, references: Sequence[str] | None
    ) -> Iterator[NewCase]:
        of = self._origin
        drawn = draws(of.terms.secret, of.model, of.version)
        for sign in (1, -1):
            limit = of.terms.limits.get(NAMES[sign])
            if limit is None:
                continue
            rate = of.terms.audit[NAMES[sign]]
            for i in np.flatnonzero(decided.decisions == sign).tolist():
                row = _Row(i, None if references is None else references[i])
                if drawn(row.reference) < limit:
                    case_id = self._new_id(row)
                    yield self._case(rows, decided, row, AUDIT, case_id, rate)

    def _case(
        self,
        rows: Rows,
        decided: Decided,
        row: _Row,
        reason: str,
        case_id: str,
        inclusion: float = 1.0,
    ) -> NewCase:
        i, judged = row.index, decided.judged
        p, saving = judged.probabilities, 0.0
        if decided.priced is not None and i not in decided.unpriced and reason != AUDIT:
            plus, minus, reject = (cost[i].item() for cost in decided.priced)
            saving = min(plus, minus) - reject
        keeps = self._origin.terms.keep_features
        return NewCase(
            self._origin,
            row.reference,
            reason,
            features_of(self._schema, rows, i) if keeps else None,
            NAMES[decided.decisions[i].item()],
            inclusion,
            judged.scores[i].item(),
            None if p is None else p[i].item(),
            bool(decided.forced[i]),
            saving,
            None,
            case_id,
            self._origin.costs_of(self._schema, rows, i),
        )

    def _keep(self, cases: Sequence[NewCase]) -> None:
        lines = b"".join(
            _ENCODER.encode(
                [getattr(case, name) for name in NewCase.__slots__ if name != "origin"]
            )
            + b"\n"
            for case in cases
        )
        with self._lock, self._spool.open("ab") as file:
            file.write(lines)

    def store(self) -> None:
        """Open all cases.

        Raises
        ------
        Overtaken
            When the file names one that another request has opened meanwhile.
        """
        overtaken = False
        with self._spool.open("rb") as file:
            while lines := list(islice(file, AT_ONCE)):
                cases = [
                    NewCase(self._origin, *_DECODER.decode(line)) for line in lines
                ]
                with self._database.write() as session:
                    moved = open_cases(session, cases)
                overtaken |= any(
                    moved.get(case.id, case.id) != case.id and case.reason != AUDIT
                    for case in cases
                )
        if overtaken:
            raise Overtaken


def references_of(batch: Batch, place: int, name: str) -> list[str]:
    """Return a column of references.

    Parameters
    ----------
    batch : Batch
    place : int
        Of the column among those of the batch.
    name : str

    Raises
    ------
    InvalidRequestError
        With the place of the first cell that is none.
    """
    column = batch.columns[place]
    if pa.types.is_integer(column.type):
        column = column.cast(pa.string())
    if not is_text(column.type):
        detail = "references are text or whole numbers"
        raise fault(detail, position=place, name=name)
    references: list[str] = column.fill_null("").to_pylist()
    for i, reference in enumerate(references):
        if not _REFERENCE.fullmatch(reference):
            detail = "a reference is 1 to 200 characters, none a control character"
            line, row = batch.line_of(i), batch.first_row + i
            raise fault(detail, line=line, row=row, name=name)
    return references
