"""Verdicts as a data set: doubtful labels, weighted by how the case was chosen.

A row is a closed case with its columns. Its probability of +1 is 1 or 0 where truth has
come, else what people said together, and never what the machine thought: it would teach
itself. A reject is there for certain (weight 1), an audited row with its known
probability pi (weight 1 / pi, at most 100), so that the rows stand for all cases.

Statements are taken as stated, not as late truth calibrates them: the few cases whose
truth comes late are no sample of all cases, and rows calibrated by them taught a dearer
model in the played month.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from app.artifacts.model import Label
from app.blobs.folder import digest_of
from app.datasets import service
from app.datasets.reading.convert import Column, Described
from app.datasets.reading.options import ColumnType
from app.datasets.reading.values import STORED
from app.datasets.receiving import Received
from app.datasets.schemas import UploadQuery
from app.datasets.store import DatasetStore
from app.db.review_tables import Case, CaseUse
from app.db.states import CaseState
from app.errors import ConflictError
from app.reviews import policies
from app.reviews.measured import ReviewDataset, ReviewDatasetRequest
from app.reviews.policy import AUDIT
from app.reviews.pooling import pooled, share_of_positive, stated_probability
from app.reviews.standing import standing_of
from app.state import AppState

__all__ = ["make_dataset"]

MOST_WEIGHT = 100.0

Row = tuple[Case, float]


def make_dataset(
    state: AppState, name: str, asked: ReviewDatasetRequest
) -> ReviewDataset:
    """Make a data set of a model's closed cases.

    Raises
    ------
    UnknownModelError
        When there is no such model.
    ConflictError
        When no closed case has its columns, cases have other columns or labels than
        the rest, or nothing but rejects is there and that was not asked for.
    """
    with state.database.read() as session:
        rows = _rows(session, policies.model_id_of(session, name))
    if not rows:
        msg = (
            "no closed case of this model has its columns: people have decided none, or"
            " the policy keeps references only"
        )
        raise ConflictError(msg)
    audits = sum(case.reason == AUDIT for case, _ in rows)
    rejects = sum(case.decision == "reject" for case, _ in rows)
    if not audits and not asked.alone:
        msg = (
            "these rows were chosen by the machine: all are rejects, and a model that"
            " is trained on them learns nothing of the cases that are decided without"
            " people. Have accepted cases audited (audit in the review policy), or say"
            " alone: true"
        )
        raise ConflictError(msg)
    labels: dict[str, Label] = rows[0][0].labels
    if any(case.labels != labels for case, _ in rows):
        msg = "cases of this model have different labels; train on them apart"
        raise ConflictError(msg)
    weight = np.array([min(1.0 / case.inclusion, MOST_WEIGHT) for case, _ in rows])
    table, roles = _table(rows, weight)
    made = _keep(state, name, asked, table, [case.id for case, _ in rows])
    notes = []
    if not audits:
        notes.append("all rows are rejects: they say nothing of what is decided")
    return ReviewDataset(
        id=made,
        rows=len(rows),
        rejects=rejects,
        audits=audits,
        effective_rows=float(weight.sum() ** 2 / (weight**2).sum()),
        labels=labels,
        train={
            "data": {"kind": "dataset", "id": made},
            "target": {
                "column": roles["probability"],
                "probability": True,
                "labels": labels,
                "weight": roles["weight"],
            },
            "groups": roles["case"],
            "evaluation": {"order_by": roles["reviewed_at"]},
        },
        notes=notes,
    )


def _rows(session: Session, model_id: int) -> list[Row]:
    """Return closed cases with columns, and the probability of +1 of each."""
    cases = session.scalars(
        select(Case)
        .where(
            Case.model_id == model_id,
            Case.features.is_not(None),
            (Case.state == CaseState.DECIDED) | Case.truth.is_not(None),
        )
        .order_by(Case.closed_at, Case.id)
    ).all()
    standing = standing_of(session, model_id)
    stated = defaultdict[str, list[float]](list)
    for one in standing.verdicts:
        stated[one.case_id].append(
            stated_probability(positive=one.positive, sure=one.sure)
        )
    up = sum(one.positive for one in standing.verdicts)
    share = share_of_positive(up, len(standing.verdicts))
    return [
        (
            case,
            float(case.truth)
            if case.truth is not None
            else pooled(None, stated[case.id], share),
        )
        for case in cases
        if case.truth is not None or case.id in stated
    ]


def _table(
    rows: Sequence[Row], weight: Any
) -> tuple[tuple[pa.Table, list[Column]], dict[str, str]]:
    """Return the rows as a table with its columns, and which column holds what."""
    names = list(rows[0][0].features or {})
    if any(set(case.features or {}) != set(names) for case, _ in rows):
        msg = "cases of this model have different columns; train on them apart"
        raise ConflictError(msg)
    cells = {name: [(case.features or {})[name] for case, _ in rows] for name in names}
    roles = {
        role: role if role not in cells else f"review_{role}"
        for role in ("probability", "weight", "case", "reviewed_at")
    }
    cells |= {
        roles["probability"]: [p for _, p in rows],
        roles["weight"]: weight.tolist(),
        roles["case"]: [case.id for case, _ in rows],
        roles["reviewed_at"]: [
            (case.closed_at or case.opened_at).isoformat() for case, _ in rows
        ],
    }
    kinds = {name: _kind(values) for name, values in cells.items()}
    columns = [
        Column(name, kinds[name], sum(cell is None for cell in values))
        for name, values in cells.items()
    ]
    schema = pa.schema([(name, STORED[kind]) for name, kind in kinds.items()])
    return (pa.table(_typed(cells, kinds), schema=schema), columns), roles


def _kind(values: Sequence[Any]) -> ColumnType:
    kinds = {type(cell) for cell in values if cell is not None}
    if kinds == {bool}:
        return "boolean"
    return "categorical" if str in kinds else "numeric"


def _typed(
    cells: Mapping[str, Sequence[Any]], kinds: Mapping[str, ColumnType]
) -> dict[str, list[Any]]:
    """Return cells as their columns hold them; numbers beside text become text."""

    def text(cell: Any) -> Any:
        return cell if cell is None else str(cell)

    return {
        name: list(map(text, values)) if kinds[name] == "categorical" else list(values)
        for name, values in cells.items()
    }


def _keep(
    state: AppState,
    model: str,
    asked: ReviewDatasetRequest,
    table: tuple[pa.Table, list[Column]],
    cases: Sequence[str],
) -> str:
    """Store the table as a data set that knows its cases; return its id."""

    def note(session: Session, dataset_id: str) -> None:
        uses = [{"dataset_id": dataset_id, "case_id": case} for case in cases]
        session.execute(insert(CaseUse), uses)

    rows, columns = table
    store = DatasetStore(state.settings.datasets_dir)
    with store.staging() as folder:
        stored: Path = folder / "stored"
        pq.write_table(rows, stored, compression="zstd", compression_level=1)
        received = Received(digest_of(stored), stored.stat().st_size, None, None)
        described = Described(rows.num_rows, tuple(columns), ())
        query = UploadQuery(name=asked.name or f"verdicts on {model}", format="parquet")
        kept = service.keep(
            store, state.database, stored, received, described, query, note
        )
    return kept.id
