"""Models and versions as they are described, and their owners' tags and notes."""

import re

from sqlalchemy.orm import Session

from app.db.tables import Model, ModelVersion
from app.errors import UnknownModelError
from app.models import queries
from app.models.registry_schemas import Labelling, TagVersion, VersionTags
from app.models.schemas import (
    ModelAnswer,
    ModelEntry,
    ModelQuery,
    ModelsAnswer,
    ModelsQuery,
    VersionAnswer,
    VersionEntry,
)

__all__ = [
    "describe_model",
    "describe_version",
    "known_model",
    "known_version",
    "label",
    "list_models",
    "tag",
]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
LARGEST_VERSION = 2**31 - 1


def list_models(session: Session, query: ModelsQuery) -> ModelsAnswer:
    """Return one page of models, by name."""
    rows = queries.page(
        session,
        limit=query.limit + 1,
        after=query.after,
        sort=query.sort,
        containing=query.search,
        tag=_tag(query.tag),
    )
    shown = rows[: query.limit]
    return ModelsAnswer(
        models=[
            ModelEntry(
                name=model.name,
                created_at=model.created_at,
                latest_version=latest,
                versions=count,
                description=model.description,
                tags=model.tags,
            )
            for model, latest, count in shown
        ],
        next=shown[-1][0].name if len(rows) > len(shown) else None,
    )


def describe_model(session: Session, name: str, query: ModelQuery) -> ModelAnswer:
    """Return a model with its newest version and a page of all.

    Raises
    ------
    UnknownModelError
        When no version of that name exists.
    """
    model, newest = known_model(session, name)
    rows = queries.versions(
        session,
        model,
        limit=query.limit + 1,
        after=query.after,
        before=query.before,
        sort=query.sort,
        tag=_tag(query.tag),
    )
    shown = rows[: query.limit]
    return ModelAnswer(
        name=model.name,
        created_at=model.created_at,
        description=model.description,
        tags=model.tags,
        aliases=queries.aliases_of(session, model),
        latest_version=newest.version,
        latest=_version_answer(name, newest),
        versions=[VersionEntry.model_validate(row) for row in shown],
        next=shown[-1].version if len(rows) > len(shown) else None,
    )


def describe_version(session: Session, name: str, version: int) -> VersionAnswer:
    """Return everything that is known of one version.

    Raises
    ------
    UnknownModelError
        When the model or the version does not exist.
    """
    return _version_answer(name, known_version(session, name, version))


def known_model(session: Session, name: str) -> tuple[Model, ModelVersion]:
    """Return a model and its newest version; one without any is gone.

    Raises
    ------
    UnknownModelError
        When no version of that name exists.
    """
    model = queries.find_model(session, name) if NAME.fullmatch(name) else None
    newest = [] if model is None else queries.versions(session, model, limit=1)
    if model is None or not newest:
        msg = "no model has this name; see GET /models"
        raise UnknownModelError(msg)
    return model, newest[0]


def known_version(session: Session, name: str, version: int) -> ModelVersion:
    """Return one version.

    Raises
    ------
    UnknownModelError
        When the model or the version does not exist.
    """
    known = NAME.fullmatch(name) and 1 <= version <= LARGEST_VERSION
    row = queries.find_version(session, name, version) if known else None
    if row is None:
        msg = f"no model of this name has a version {version}; see GET /models"
        raise UnknownModelError(msg)
    return row


def label(session: Session, name: str, asked: Labelling) -> None:
    """Set what is said of a model; what is left out stays.

    Raises
    ------
    UnknownModelError
        When no version of that name exists.
    """
    model, _ = known_model(session, name)
    if asked.description is not None:
        model.description = asked.description
    if asked.tags is not None:
        model.tags = dict(asked.tags)
    session.flush()


def tag(session: Session, name: str, version: int, asked: TagVersion) -> VersionTags:
    """Set the tags of a version.

    Raises
    ------
    UnknownModelError
        When it does not exist.
    """
    row = known_version(session, name, version)
    row.tags = dict(asked.tags)
    session.flush()
    return VersionTags(name=name, version=version, tags=row.tags)


def _tag(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    name, _, value = text.partition("=")
    return name, value


def _version_answer(name: str, row: ModelVersion) -> VersionAnswer:
    return VersionAnswer.model_validate(
        {
            **row.summary,
            "name": name,
            "version": row.version,
            "created_at": row.created_at,
            "job_id": row.job_id,
            "artifact_sha256": row.artifact_sha256,
            "artifact_bytes": row.artifact_bytes,
            "tags": row.tags,
        }
    )
