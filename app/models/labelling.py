"""What is said about models and versions: descriptions and tags."""

from sqlalchemy.orm import Session

from app.models.registry_schemas import Labelling, TagVersion, VersionTags
from app.models.service import known_model, known_version

__all__ = ["label", "tag"]


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
