"""An evaluation: labelled rows through a version, as predictions go through it."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from app.artifacts.model import ServedModel
from app.datasets.store import DatasetStore
from app.datasets.training import outline
from app.db.tables import ModelVersion
from app.errors import ConflictError, FieldError
from app.errors.faults import unusable
from app.evaluate.comparison import compare
from app.evaluate.promises import check
from app.evaluate.rows import check_columns, feature_table, labelled
from app.evaluate.schemas import EvaluateAnswer, EvaluateRequest
from app.evidence.decisions import decide
from app.evidence.evaluation import evaluate
from app.evidence.part import Part
from app.evidence.scores import Evidence, score
from app.features.encoding import encode_table
from app.features.table import Table
from app.guards.tables import guarded_rows
from app.models.schemas import VersionRef
from app.models.service import known_version
from app.plain import finite
from app.state import AppState
from app.train.parsing import read_as
from app.train.schemas import DatasetData, Target
from solvers.costs import RowCosts

__all__ = ["evaluate_version"]

_MOST_ROWS = 1_000_000
"""Of an evaluation, where the settings name no number: it answers at once."""


def evaluate_version(
    state: AppState, name: str, version: int, body: bytes
) -> EvaluateAnswer:
    """Answer how a version does on the rows of a body.

    Raises
    ------
    UnknownModelError
        When the version does not exist.
    MalformedRequestError, InvalidRequestError
        When the body, or a row of it, is not as the version needs it.
    """
    settings = state.settings
    with state.database.read() as session:
        row = known_version(session, name, version)
        model = ServedModel.from_payload(state.store.read(row.artifact_sha256))

        def columns_of(data: DatasetData) -> Table:
            most = settings.max_training_rows or _MOST_ROWS
            return outline(session, data.id, data.columns, most)

        texts = {f.name: f.spelled for f in model.features.categoricals}
        request, table = read_as(EvaluateRequest, body, columns_of, texts)
        target = request.target or _own_target(row.summary)
        groups = _groups(row, request, table)
        known = _known(row, request, table)
        check_columns(table, model.features, target, known, _priced_by(model))
        if isinstance(request.data, DatasetData):
            names = [*model.asked.names, target.column, target.weight, groups]
            wanted = [name for name in names if name is not None]
            store = DatasetStore(settings.datasets_dir)
            table = store.read_table(store.find(request.data.id), wanted)
            table = table.marked(request.data.missing)
    part = labelled(table, target, model.labels, groups)
    if request.prevalence is not None:
        part = part.at_prevalence(request.prevalence)
    if model.calibration is None:
        msg = "this version keeps no calibration, so its probabilities cannot be judged"
        raise ConflictError(msg)
    evidence, notes = _scored(model, table.take(part.rows), part)
    decisions = decide(model.rule, model.calibration, evidence)
    figures, warnings = evaluate(
        evidence, decisions, model.calibration, model.costs, model.rating
    )
    figures = finite(figures)
    then = row.summary.get("evaluation") or {}
    return EvaluateAnswer(
        model=VersionRef(name=name, version=version),
        rows=len(part.rows),
        prevalence=request.prevalence,
        evaluation=figures,
        training=then,
        compared=compare(then, figures),
        promise=check(model.rule, model.costs, part, decisions),
        warnings=[*warnings, *notes],
    )


def _own_target(summary: Mapping[str, Any]) -> Target:
    """Return where training found the labels; weights have to be asked for."""
    of_rows = {"weight", "label_precision"}
    own = summary.get("target")
    if own is None:
        detail = "this version does not know its target: name the column of the labels"
        raise unusable([FieldError("/target", detail)])
    return Target.model_validate({k: v for k, v in own.items() if k not in of_rows})


def _groups(row: ModelVersion, request: EvaluateRequest, table: Table) -> str | None:
    """Return the column that names what was drawn together."""
    if request.groups is not None:
        if request.groups not in table.columns:
            raise unusable([FieldError("/groups", "the table has no such column")])
        return request.groups
    own = row.summary.get("groups")
    return own if own in table.columns else None


def _known(row: ModelVersion, request: EvaluateRequest, table: Table) -> set[str]:
    """Return the columns that may be there beside features and target."""
    if isinstance(request.data, DatasetData) or request.extra_columns == "ignore":
        return set(table.names)
    summary = row.summary
    used = {
        request.groups,
        summary.get("groups"),
        (summary.get("evaluation") or {}).get("order_by"),
        *((summary.get("target") or {}).get(k) for k in ("weight", "label_precision")),
    }
    return {name for name in used if name is not None}


def _priced_by(model: ServedModel) -> tuple[str, ...]:
    """Return the columns that prices follow."""
    return () if model.row_prices is None else model.row_prices.columns


def _own_prices(model: ServedModel, table: Table, part: Part) -> RowCosts | None:
    """Return the prices of these rows, where each has its own.

    Raises
    ------
    InvalidRequestError
        When a row lacks one: what deciding it cost is not known.
    """
    if model.row_prices is None:
        return None
    columns = _priced_by(model)
    costs, unknown = model.row_prices.at(
        {name: table.columns[name] for name in columns}
    )
    if unknown.any():
        rows = part.rows[np.flatnonzero(unknown)].tolist()
        some = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
        detail = (
            f"prices follow {' and '.join(map(repr, columns))}, which {len(rows)} rows"
            f" lack or do not have above 0 ({some}, counted from 0): complete these"
            " rows, or leave them out"
        )
        fault = FieldError("/data/rows", detail, row=rows[0], column=columns[0])
        raise unusable([fault])
    return costs


def _scored(model: ServedModel, table: Table, part: Part) -> tuple[Evidence, list[str]]:
    """Return the rows with their scores, and what is unlike training in them."""
    typed = feature_table(table, model.asked)
    own = _own_prices(model, typed, part)
    encoded = encode_table(model.features, typed)
    guarded = guarded_rows(model.guards, model.features, typed, encoded)
    evidence = score(model.scorer, encoded.matrix, part, guarded, own)
    usable = np.isfinite(evidence.scores)
    if not usable.all():
        row = int(part.rows[int(np.argmin(usable))])
        detail = "the score overflows: the row lies too far outside the training rows"
        raise unusable([FieldError(f"/data/rows/{row}", detail, row=row)])
    notes = Counter(note for of_row in encoded.notes.values() for note in of_row)
    lines = [f"{note.text} (rows: {count})" for note, count in notes.items()]
    return evidence, lines
