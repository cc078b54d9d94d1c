"""Deleting a data set, with all that is kept of its single rows elsewhere.

The versions that were trained on it, and those re-priced from them, go on answering by
rewritten artifacts. These are written first; then one transaction turns the versions
to them and removes the data set; the files that nothing names any more go last, once
every process answers by the new ones. Killed in between, files are left that no row
names, and the worker's sweep removes them.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.artifacts.forgetting import (
    GUARD,
    REPRICE,
    Keeps,
    Lost,
    forget,
    keeps_rows,
    losses,
)
from app.artifacts.store import ArtifactStore, StoredArtifact
from app.datasets import queries
from app.datasets.errors import (
    DatasetInUseError,
    OutlierGuardsError,
    UnknownDatasetError,
)
from app.datasets.schemas import DeletedAnswer, ModelMade
from app.datasets.service import file_of, find
from app.datasets.store import DatasetStore
from app.db.session import Database
from app.db.tables import ModelVersion
from app.errors import ConflictError, CorruptArtifactError
from app.models.publication import wait_until_visible

__all__ = ["Stores", "delete"]

_ATTEMPTS = 5

_TOLD: dict[Lost, str] = {
    REPRICE: "the data set was deleted, and the stored scores with it: this version can"
    " no longer be re-priced",
    GUARD: "the data set was deleted, and the references of the outlier guard with it:"
    " rows far from training are no longer rejected",
}


@dataclass(frozen=True, slots=True)
class Stores:
    """Where data sets and artifacts are."""

    datasets: DatasetStore
    artifacts: ArtifactStore


@dataclass(frozen=True, slots=True)
class _Rewritten:
    """What becomes of one artifact; ``stored`` is None where nothing changes."""

    lost: list[Lost]
    keeps: list[Keeps]
    stored: StoredArtifact | None


def delete(
    database: Database, stores: Stores, dataset_id: str, *, drop_guards: bool = False
) -> DeletedAnswer:
    """Delete a data set and what is kept of its rows; say what no longer works.

    Parameters
    ----------
    database : Database
    stores : Stores
    dataset_id : str
    drop_guards : bool
        Whether versions may lose their outlier guard, whose references are rows.

    Raises
    ------
    UnknownDatasetError
        When there is no such data set.
    DatasetInUseError
        While a job that waits or runs needs it.
    OutlierGuardsError
        When a version would lose its outlier guard, and that was not asked for.
    """
    known: dict[str, _Rewritten] = {}
    for _ in range(_ATTEMPTS):
        with database.read() as session:
            _check_free(session, dataset_id)
            made = queries.derived_from(session, dataset_id)
        _rewrite(stores.artifacts, made, known, drop_guards=drop_guards)
        with database.write() as session:
            row = queries.hold(session, dataset_id, read=False)
            if row is None:
                raise UnknownDatasetError(UnknownDatasetError.example)
            _check_free(session, dataset_id)
            made = queries.derived_from(session, dataset_id, hold=True)
            if any(version.artifact_sha256 not in known for _, version in made):
                continue  # a version came meanwhile
            changes = [_turn(name, version, known) for name, version in made]
            file = file_of(row)
            queries.remove(session, dataset_id)
        break
    else:
        msg = "versions are being made of this data set; try again"
        raise ConflictError(msg)
    stores.datasets.delete(file)
    _remove_old(database, stores.artifacts, known)
    return DeletedAnswer(id=dataset_id, models=changes)


def _check_free(session: Session, dataset_id: str) -> None:
    find(session, dataset_id)
    waiting = queries.waiting(session, dataset_id)
    if waiting:
        jobs = "1 job needs" if waiting == 1 else f"{waiting} jobs need"
        msg = f"{jobs} this data set; cancel what waits or runs, or let it end"
        raise DatasetInUseError(msg)


def _rewrite(
    artifacts: ArtifactStore,
    made: list[tuple[str, ModelVersion]],
    known: dict[str, _Rewritten],
    *,
    drop_guards: bool,
) -> None:
    """Write artifacts without rows; refuse before the first where guards would go."""
    payloads: dict[str, dict[str, Any]] = {}
    guarded = []
    for name, version in made:
        sha256 = version.artifact_sha256
        if sha256 in known:
            continue
        try:
            payloads[sha256] = artifacts.read(sha256)
        except CorruptArtifactError:
            known[sha256] = _Rewritten([], ["unreadable"], None)
            continue
        if GUARD in losses(payloads[sha256]):
            guarded.append(f"{name}:{version.version}")
    if guarded and not drop_guards:
        msg = (
            f"the outlier guard of {', '.join(guarded)} consists of rows of this data"
            " set: say outlier_guards=drop, and these versions answer without it; or"
            " delete them first"
        )
        raise OutlierGuardsError(msg)
    for sha256, payload in payloads.items():
        left = forget(payload)
        same = left["scorer"] is payload["scorer"] and not losses(payload)
        keeps: list[Keeps] = ["support_vectors"] if keeps_rows(left) else []
        stored = None if same else artifacts.write(left)
        known[sha256] = _Rewritten(losses(payload), keeps, stored)


def _turn(name: str, version: ModelVersion, known: dict[str, _Rewritten]) -> ModelMade:
    """Let a version answer by its rewritten artifact."""
    new = known[version.artifact_sha256]
    if new.stored is not None:
        summary = {**version.summary}
        warnings = [*summary.get("warnings", []), *(_TOLD[lost] for lost in new.lost)]
        summary["warnings"] = list(dict.fromkeys(warnings))
        if GUARD in new.lost:
            summary["guards"] = {**summary.get("guards", {}), "outlier": None}
        version.summary = summary
        version.artifact_sha256 = new.stored.sha256
        version.artifact_bytes = new.stored.size
    return ModelMade(name=name, version=version.version, lost=new.lost, keeps=new.keeps)


def _remove_old(
    database: Database, artifacts: ArtifactStore, known: dict[str, _Rewritten]
) -> None:
    """Remove artifacts that were rewritten and that no version names."""
    old = [sha256 for sha256, new in known.items() if new.stored is not None]
    if not old:
        return
    wait_until_visible()
    with database.read() as session:
        named = queries.named_artifacts(session, old)
    for sha256 in old:
        if sha256 not in named:
            artifacts.delete(sha256)
