"""A re-pricing from a version to the next one, and a look at what it would give."""

from typing import Any

from app.db.tables import ModelVersion
from app.errors import ConflictError
from app.evidence.facts import rule_facts
from app.jobs import replays
from app.models.publication import add_version, wait_until_visible
from app.models.schemas import VersionRef
from app.models.service import known_version
from app.plain import finite
from app.reprice.changed_request import changed_request
from app.reprice.curves import curves_of
from app.reprice.schemas import (
    CurvesAnswer,
    Evaluations,
    PreviewAnswer,
    RepriceAnswer,
    RepriceRequest,
)
from app.reprice.thresholds import Repriced, fit_thresholds
from app.state import AppState
from app.train.compatibility import rule_kind

__all__ = ["curves", "preview", "preview_with_curves", "reprice"]

_SPLIT = ("holdout", "seed", "order_by")


def reprice(
    state: AppState,
    name: str,
    version: int,
    request: RepriceRequest,
    repeatable: replays.Repeatable | None = None,
) -> tuple[RepriceAnswer, bool]:
    """Make the next version of a model from the scores of this one.

    It returns when every API process answers by the new version: what is told, and
    whether it was told before.

    Raises
    ------
    UnknownModelError
        When the version does not exist.
    InvalidRequestError, ConflictError
        When the version cannot be re-priced so; see `app.reprice.changed_request`.
    KeyReusedError
        When the request's ``Idempotency-Key`` came with another body.
    """
    answer = None if repeatable is None else _answer_before(state, repeatable)
    again = answer is not None
    if answer is None:
        answer, again = _repriced(state, name, version, request, repeatable)
    wait_until_visible()
    return answer, again


def preview(
    state: AppState, name: str, version: int, request: RepriceRequest
) -> PreviewAnswer:
    """Answer what `reprice` would, and make nothing.

    Raises
    ------
    UnknownModelError
        When the version does not exist.
    InvalidRequestError, ConflictError
        When the version cannot be re-priced so.
    """
    row, chosen = _chosen(state, name, version, request)
    changes = _changes(name, row, chosen, _summary(row, chosen))
    return PreviewAnswer.model_validate(changes)


def preview_with_curves(
    state: AppState, name: str, version: int, request: RepriceRequest
) -> tuple[PreviewAnswer, CurvesAnswer | None]:
    """Return what `preview` does, and the curves of the version that would be.

    There are no curves where nothing was held out.

    Raises
    ------
    UnknownModelError, InvalidRequestError, ConflictError
        As `preview`.
    """
    row, chosen = _chosen(state, name, version, request)
    changes = _changes(name, row, chosen, _summary(row, chosen))
    drawn = _drawn(name, version, curves_of(chosen.model, chosen.stored))
    return PreviewAnswer.model_validate(changes), drawn


def curves(state: AppState, name: str, version: int) -> CurvesAnswer:
    """Return the curves of a version.

    Raises
    ------
    UnknownModelError
        When the version does not exist.
    ConflictError
        When it keeps no held-out scores.
    """
    with state.database.read() as session:
        row = known_version(session, name, version)
    answer = _drawn(name, version, curves_of(*state.evidence.get(row.artifact_sha256)))
    if answer is None:
        msg = (
            "this version held no rows out, so there is nothing to draw: train again"
            " with a holdout above 0"
        )
        raise ConflictError(msg)
    return answer


def _drawn(
    name: str, version: int, curves: dict[str, Any] | None
) -> CurvesAnswer | None:
    if curves is None:
        return None
    ref = VersionRef(name=name, version=version)
    return CurvesAnswer.model_validate({"model": ref, **finite(curves)})


def _chosen(
    state: AppState, name: str, version: int, request: RepriceRequest
) -> tuple[ModelVersion, Repriced]:
    with state.database.read() as session:
        row = known_version(session, name, version)
    model, stored = state.evidence.get(row.artifact_sha256)
    return row, fit_thresholds(model, stored, changed_request(stored, request))


def _changes(
    name: str, row: ModelVersion, chosen: Repriced, summary: dict[str, Any]
) -> dict[str, Any]:
    """Return what a re-pricing changes, whether or not it is made."""
    return {
        "repriced_from": VersionRef(name=name, version=row.version),
        "evaluation": Evaluations(
            before=finite(chosen.before), after=finite(chosen.after)
        ),
        **{key: summary[key] for key in _TOLD},
    }


def _answer_before(
    state: AppState, repeatable: replays.Repeatable
) -> RepriceAnswer | None:
    with state.database.read() as session:
        first = replays.kept_answer(session, repeatable)
    return None if first is None else RepriceAnswer.model_validate(first)


def _repriced(
    state: AppState,
    name: str,
    version: int,
    request: RepriceRequest,
    repeatable: replays.Repeatable | None,
) -> tuple[RepriceAnswer, bool]:
    row, chosen = _chosen(state, name, version, request)
    summary = _summary(row, chosen)
    artifact = {**chosen.model.to_payload(), "evidence": chosen.stored.payload()}
    file = state.store.write(artifact)
    with state.database.write() as session:
        if repeatable is not None:
            hours = state.settings.idempotency_hours
            first = replays.reserve(session, repeatable, hours)
            if first is not None:  # its twin was quicker
                return RepriceAnswer.model_validate(first), True
        number = add_version(session, name, summary, file)
        # Meanwhile it may have been deleted, or its scores with their data set.
        now = known_version(session, name, version)
        if now.artifact_sha256 != row.artifact_sha256:
            msg = "the version has lost its scores meanwhile: train again"
            raise ConflictError(msg)
        answer = RepriceAnswer(
            model=VersionRef(name=name, version=number),
            **_changes(name, row, chosen, summary),
        )
        if repeatable is not None:
            replays.keep(session, repeatable, None, answer.model_dump(mode="json"))
    return answer, False


_TOLD = (
    "costs",
    "rule",
    "thresholds",
    "prevalence",
    "promise",
    "feasible",
    "warnings",
)


def _summary(row: ModelVersion, chosen: Repriced) -> dict[str, Any]:
    """Return the facts of the new version."""
    model, asked = chosen.model, chosen.stored.asked
    then = row.summary.get("evaluation", {})
    split = {key: then[key] for key in _SPLIT if key in then}
    calibration = model.calibration or chosen.stored.holdout_calibration
    bands = {} if model.rating is None else {"bands": model.rating.payload()}
    summary: dict[str, Any] = finite(
        {
            **row.summary,
            **bands,
            **rule_facts(rule_kind(asked), model.rule, calibration, model.costs),
            "evaluation": {**split, **chosen.after},
            "prevalence": asked.prevalence,
            "warnings": chosen.warnings,
            "repriced_from": row.version,
        }
    )
    return summary
