"""The SQL of models and versions, as the API needs it."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.db.tables import Model, ModelVersion

__all__ = [
    "ResolvedVersion",
    "find_model",
    "find_version",
    "page",
    "resolve",
    "versions",
]


@dataclass(frozen=True, slots=True)
class ResolvedVersion:
    """A version that exists, and the digest of its artifact."""

    name: str
    version: int
    sha256: str


def resolve(
    session: Session, name: str, version: int | None = None, alias: str | None = None
) -> ResolvedVersion | None:
    """Return the version that a reference means: the newest when none is named.

    Aliases are not kept in this version of the service: a reference by one is unknown.
    """
    if alias is not None:
        return None
    query = (
        select(Model.name, ModelVersion.version, ModelVersion.artifact_sha256)
        .join(ModelVersion, ModelVersion.model_id == Model.id)
        .where(Model.name == name)
        .order_by(ModelVersion.version.desc())
        .limit(1)
    )
    if version is not None:
        query = query.where(ModelVersion.version == version)
    found = session.execute(query).one_or_none()
    return None if found is None else ResolvedVersion(*found)


def page(
    session: Session, *, limit: int, after: str | None
) -> list[tuple[Model, int, int]]:
    """Return models by name, each with its newest version and how many it has."""
    query = (
        select(Model, func.max(ModelVersion.version), func.count())
        .join(ModelVersion, ModelVersion.model_id == Model.id)
        .group_by(Model.id)
        .order_by(Model.name)
        .limit(limit)
    )
    if after is not None:
        query = query.where(Model.name > after)
    return [(model, newest, count) for model, newest, count in session.execute(query)]


def find_model(session: Session, name: str) -> Model | None:
    """Return the model of this name."""
    return session.scalar(select(Model).where(Model.name == name))


def versions(
    session: Session, model: Model, *, limit: int, before: int | None
) -> list[ModelVersion]:
    """Return the versions of a model, newest first."""
    query = (
        select(ModelVersion)
        .where(ModelVersion.model_id == model.id)
        .order_by(ModelVersion.version.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(ModelVersion.version < before)
    return list(session.scalars(query))


def find_version(session: Session, name: str, version: int) -> ModelVersion | None:
    """Return one version of a model."""
    return session.scalar(
        select(ModelVersion)
        .join(Model, Model.id == ModelVersion.model_id)
        .where(Model.name == name, ModelVersion.version == version)
    )
