"""Cases that a caller brings: scored by the model like any row, and always asked."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import msgspec
from msgspec import Raw

from app.errors import FieldError, InvalidRequestError, UnknownPolicyError
from app.errors.faults import unusable
from app.models.queries import ResolvedVersion
from app.predict.at_once import ask
from app.predict.endpoint import PredictEndpoint
from app.predict.envelope import Envelope
from app.predict.ready_model import ReadyModel
from app.reviews.caller_schemas import CaseSent, CasesRequest, OpenedAnswer, OpenedCase
from app.reviews.intake import Intake
from app.reviews.policy import Terms

__all__ = ["open_backlog"]

_ENCODER = msgspec.json.Encoder()


async def open_backlog(predict: PredictEndpoint, asked: CasesRequest) -> OpenedAnswer:
    """Open a case for each that was sent; one whose reference has one keeps it.

    Raises
    ------
    UnknownModelError, UnknownPolicyError
        When the model has no reviews that are on.
    InvalidRequestError
        When columns are not the model's, or missing where the policy keeps them.
    ServiceUnavailableError, StorageFullError
        When the cases cannot be stored.
    """
    version, ready = await predict.load(asked.model)
    if version.review is None:
        msg = "the model has no review policy that is on: PUT /models/{name}/review"
        raise UnknownPolicyError(msg)
    _require_features(version.review, asked.cases)
    intake = await asyncio.to_thread(_scored, version, ready, asked.cases)
    moved = await predict.cases.keep(intake) or {}
    return OpenedAnswer(
        cases=[
            OpenedCase(reference=case.reference or "", case=moved.get(case.id, case.id))
            for case in intake.opened
        ]
    )


def _require_features(terms: Terms, cases: Sequence[CaseSent]) -> None:
    if not terms.keep_features:
        return
    faults = [
        FieldError(f"/cases/{i}/features", "is missing: a reviewer would see nothing")
        for i, case in enumerate(cases)
        if case.features is None
    ]
    if faults:
        raise unusable(faults)


def _scored(
    version: ResolvedVersion, ready: ReadyModel, cases: Sequence[CaseSent]
) -> Intake:
    """Return the intake of a backlog, the scored ones with what the model says."""
    known = [(i, case) for i, case in enumerate(cases) if case.features is not None]
    sent = Raw(_ENCODER.encode([case.features for _, case in known]))
    references = [case.reference for case in cases]
    envelope = Envelope(version.name, instances=sent, references=references)
    question = ask(ready, version, envelope)
    intake = question.intake
    assert intake is not None  # noqa: S101 - the version has terms
    try:
        rows = question.read()
        answers, _ = ready.answer(rows, question.pricing)
    except InvalidRequestError as error:
        raise _moved(error.errors, [i for i, _ in known]) from None
    by_case = {i: row for row, (i, _) in enumerate(known)}
    for i, case in enumerate(cases):
        row = by_case.get(i)
        if row is None:
            intake.bring(i, case.due_at)
        else:
            intake.bring(i, case.due_at, answers[row], rows, row)
    return intake


def _moved(faults: Sequence[FieldError], places: Sequence[int]) -> InvalidRequestError:
    """Return faults of the rows as those of the cases that they came from."""
    return unusable(
        replace(
            fault,
            pointer=f"/cases/{places[fault.row or 0]}/features",
            row=places[fault.row or 0],
        )
        for fault in faults
    )
