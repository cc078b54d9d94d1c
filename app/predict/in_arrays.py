"""Rows that come as arrays are decided as arrays, with all that POST /predict does.

rows -> decisions -> cases of rejects -> the prediction log -> counts
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from app.errors import TooManyRowsError
from app.journal.entries import Entry
from app.models.queries import ResolvedVersion
from app.predict.answer import Tally
from app.predict.decided import Decided
from app.predict.endpoint import PredictEndpoint
from app.predict.listing import cases_of
from app.predict.many import RowByRow
from app.predict.ready_model import ReadyModel
from app.predict.rows import Rows
from app.reviews.intake import Intake

__all__ = ["Settled", "at_once", "settle"]

T = TypeVar("T")

Check = Callable[["Settled"], None]
References = Sequence[str] | None
"""What the caller calls the rows, for their cases."""


@dataclass(slots=True)
class Settled:
    """Decided rows, and which case each has; None where the model is not reviewed."""

    version: ResolvedVersion
    ready: ReadyModel
    decided: Decided
    tally: Tally
    cases: list[str | None] | None = None
    intake: Intake | None = None


async def at_once(function: Callable[..., T], *arguments: Any, small: bool) -> T:
    """Do something here where it is small, else in a thread."""
    if small:
        return function(*arguments)
    return await asyncio.to_thread(function, *arguments)


async def settle(
    predict: PredictEndpoint,
    model: str,
    read: Callable[[ReadyModel], tuple[Rows, References]],
    request_id: str,
    check: Check,
    *,
    small: bool,
) -> Settled:
    """Decide rows; open cases, log and count them.

    Parameters
    ----------
    predict : PredictEndpoint
    model : str
        A reference: name, name:version or name@alias.
    read : callable
        Makes rows for the model, and what their sender calls them; raises what is
        wrong with them.
    request_id : str
    check : callable
        May refuse what was decided, before anything is kept of it.
    small : bool
        Whether other requests would not notice.

    Raises
    ------
    ApiError
        As POST /predict does.
    """
    version, ready = await predict.load(model)
    entry = predict.journal.entry(request_id)

    def decide() -> Settled:
        rows, references = read(ready)
        n, most = len(rows.numbers), predict.most_rows
        if n > most:
            msg = (
                f"{n} rows; one request may have {most} (DEMUR_MAX_PREDICT_ROWS): send"
                " several, or a file to POST /predict/batch"
            )
            raise TooManyRowsError(msg)
        return _decided(version, ready, rows, references, entry, check)

    settled = await at_once(decide, small=small)
    if settled.intake is not None and settled.cases is not None:
        moved = await predict.cases.keep(settled.intake)
        settled.cases = [
            None if case is None or moved is None else moved.get(case, case)
            for case in settled.cases
        ]
    if entry is not None:
        await predict.journal.keep(entry, b"")
    predict.note(version, settled.tally)
    return settled


def _decided(
    version: ResolvedVersion,
    ready: ReadyModel,
    rows: Rows,
    references: References,
    entry: Entry | None,
    check: Check,
) -> Settled:
    pricing = ready.pricing
    decided = ready.decide(rows, pricing)
    settled = Settled(version, ready, decided, decided.tally())
    check(settled)
    if entry is not None:
        entry.begin(version, pricing)
        entry.note(0, decided.judged, decided)
    if (terms := version.review) is not None:
        named, labels = (version.name, version.version), ready.model.labels
        settled.intake = intake = Intake(
            terms, named, labels, pricing.prices, ready.schema, references
        )
        answers = RowByRow(decided, pricing, labels)
        settled.cases = cases_of(intake, answers, decided, settled.tally, rows, 0)
    return settled
