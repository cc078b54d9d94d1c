"""The SQL of models and versions, as the API needs it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, func, literal, select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.db.review_tables import ReviewPolicy
from app.db.tables import Alias, Model, ModelVersion
from app.reviews.policy import Terms, terms_of

__all__ = [
    "ResolvedVersion",
    "aliases_of",
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
    review: Terms | None = None
    """How its rejects are reviewed; None where they are not."""


def resolve(
    session: Session, name: str, version: int | None = None, alias: str | None = None
) -> ResolvedVersion | None:
    """Return the version that a reference means: the newest when none is named."""
    query = (
        select(
            Model.name,
            ModelVersion.version,
            ModelVersion.artifact_sha256,
            Model.id,
            ReviewPolicy.policy,
            ReviewPolicy.secret,
        )
        .join(ModelVersion, ModelVersion.model_id == Model.id)
        .outerjoin(
            ReviewPolicy,
            and_(ReviewPolicy.model_id == Model.id, ReviewPolicy.deleted_at.is_(None)),
        )
        .where(Model.name == name)
        .order_by(ModelVersion.version.desc())
        .limit(1)
    )
    if version is not None:
        query = query.where(ModelVersion.version == version)
    if alias is not None:
        query = query.join(Alias, Alias.version_id == ModelVersion.id).where(
            Alias.model_id == Model.id, Alias.alias == alias
        )
    row = session.execute(query).one_or_none()
    if row is None:
        return None
    known, number, sha256, model_id, policy, secret = row
    terms = terms_of(model_id, policy, secret) if policy else None
    return ResolvedVersion(known, number, sha256, terms)


def page(
    session: Session,
    *,
    limit: int,
    after: str | None,
    sort: str = "name",
    containing: str = "",
    tag: tuple[str, str] | None = None,
) -> list[tuple[Model, int, int]]:
    """Return models, each with its newest version and how many it has.

    Parameters
    ----------
    session : Session
    limit : int
    after : str, optional
        The name that the page before ended with.
    sort : str
        ``name`` or ``created_at``, downwards with a minus before it.
    containing : str
        Only models with this in their name, in any case.
    tag : (name, value), optional
        Only models with this tag.
    """
    down = sort.startswith("-")
    keys = [Model.name] if sort.endswith("name") else [Model.created_at, Model.name]
    query = (
        select(Model, func.max(ModelVersion.version), func.count())
        .join(ModelVersion, ModelVersion.model_id == Model.id)
        .group_by(Model.id)
        .order_by(*(key.desc() if down else key for key in keys))
        .limit(limit)
    )
    if containing:
        query = query.where(Model.name.icontains(containing, autoescape=True))
    if tag is not None:
        query = query.where(Model.tags[tag[0]].as_string() == tag[1])
    if after is not None:
        last = session.execute(select(*keys).where(Model.name == after)).first()
        mark = [after] if len(keys) == 1 else last
        if mark is None:
            return []
        query = query.where(_beyond(keys, mark, down=down))
    return [(model, newest, count) for model, newest, count in session.execute(query)]


def _beyond(
    keys: Sequence[InstrumentedAttribute[Any]], mark: Iterable[Any], *, down: bool
) -> ColumnElement[bool]:
    """Tell whether a row comes after the one with these keys in a sorted list."""
    here = tuple_(*keys)
    there = tuple_(*(literal(at, key.type) for at, key in zip(mark, keys, strict=True)))
    return here < there if down else here > there


def find_model(session: Session, name: str) -> Model | None:
    """Return the model of this name."""
    return session.scalar(select(Model).where(Model.name == name))


def versions(
    session: Session,
    model: Model,
    *,
    limit: int,
    after: int | None = None,
    before: int | None = None,
    sort: str = "-version",
    tag: tuple[str, str] | None = None,
) -> list[ModelVersion]:
    """Return the versions of a model.

    Parameters
    ----------
    session : Session
    model : Model
    limit : int
    after : int, optional
        The version that the page before ended with.
    before : int, optional
        Only versions of a lower number.
    sort : str
        ``version`` or ``created_at``, downwards with a minus before it.
    tag : (name, value), optional
        Only versions with this tag.
    """
    down = sort.startswith("-")
    number: InstrumentedAttribute[Any] = ModelVersion.version
    keys = [number] if sort.endswith("version") else [ModelVersion.created_at, number]
    own = ModelVersion.model_id == model.id
    query = (
        select(ModelVersion)
        .where(own)
        .order_by(*(key.desc() if down else key for key in keys))
        .limit(limit)
    )
    if before is not None:
        query = query.where(number < before)
    if tag is not None:
        query = query.where(ModelVersion.tags[tag[0]].as_string() == tag[1])
    if after is not None:
        last = session.execute(select(*keys).where(own, number == after)).first()
        mark = [after] if len(keys) == 1 else last
        if mark is None:
            return []
        query = query.where(_beyond(keys, mark, down=down))
    return list(session.scalars(query))


def find_version(session: Session, name: str, version: int) -> ModelVersion | None:
    """Return one version of a model."""
    return session.scalar(
        select(ModelVersion)
        .join(Model, Model.id == ModelVersion.model_id)
        .where(Model.name == name, ModelVersion.version == version)
    )


def aliases_of(session: Session, model: Model) -> dict[str, int]:
    """Return which version each alias of a model points at."""
    rows = session.execute(
        select(Alias.alias, ModelVersion.version)
        .join(ModelVersion, ModelVersion.id == Alias.version_id)
        .where(Alias.model_id == model.id)
        .order_by(Alias.alias)
    )
    return dict(rows.all())
