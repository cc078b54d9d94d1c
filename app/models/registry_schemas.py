"""What aliases, tags and descriptions look like from outside."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from app.choices import NAME, TEXT
from app.strict import Answer, StrictModel, with_examples

__all__ = [
    "AliasAnswer",
    "AliasMoved",
    "AliasesAnswer",
    "DeletedVersions",
    "GatesAsked",
    "Labelling",
    "MoveAlias",
    "TagVersion",
    "Tags",
    "VersionTags",
]

TagName = Annotated[str, StringConstraints(pattern=NAME)]
Text = Annotated[str, StringConstraints(pattern=TEXT, max_length=500)]
Tags = Annotated[dict[TagName, Text], Field(max_length=50)]
Figure = Annotated[float, Field(ge=0)]

ALIAS: dict[str, Any] = {
    "alias": "champion",
    "model": "pima",
    "version": 2,
    "moved_at": "2026-03-02T09:41:12.040000Z",
}


class GatesAsked(StrictModel):
    """The bars that the version has to pass; a bar left out is none."""

    max_expected_cost: Figure | None = None
    """Largest expected cost of a held-out row."""
    max_reject_rate: Annotated[float, Field(ge=0, le=1)] | None = None
    max_selective_error: Annotated[float, Field(ge=0, le=1)] | None = None
    """Largest error among the decided rows."""
    beats_constant: bool = False
    """It has to be shown to cost less than always answering +1, -1 or reject: the 95 %
    interval of each paired difference lies below 0."""
    no_worse: bool = False
    """It may not cost more than the alias's present version on the same rows, at its
    own prices; refused where the two were not evaluated on the same rows."""
    no_alarm: bool = False
    """No alarm of the model may be on (GET /models/{name}/monitor)."""


class MoveAlias(StrictModel):
    """Where an alias is to point."""

    version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    gates: GatesAsked = GatesAsked()


class AliasAnswer(Answer):
    """An alias and the version it points at."""

    model_config = with_examples(ALIAS)

    alias: str
    model: str
    version: int
    moved_at: datetime


class AliasMoved(AliasAnswer):
    """A move that was made: from where, and what the gates found."""

    model_config = with_examples(
        {
            **ALIAS,
            "previous_version": 1,
            "gates": ["max_reject_rate: the reject rate is 0.12, the bar 0.2"],
        }
    )

    previous_version: int | None
    gates: list[str]


class AliasesAnswer(Answer):
    """The aliases of a model, by name."""

    model_config = with_examples({"aliases": [ALIAS]})

    aliases: list[AliasAnswer]


class Labelling(StrictModel):
    """What is said of a model; a member left out stays as it is."""

    description: Annotated[str, Field(max_length=5000)] | None = None
    tags: Tags | None = None
    """All tags: those that are not named go."""


class TagVersion(StrictModel):
    """The tags of a version, all of them; the version itself never changes."""

    tags: Tags


class VersionTags(Answer):
    """A version and its tags."""

    model_config = with_examples(
        {"name": "pima", "version": 1, "tags": {"data": "2026-02"}}
    )

    name: str
    version: int
    tags: dict[str, str]


class DeletedVersions(Answer):
    """Versions that are gone."""

    model_config = with_examples({"name": "pima", "versions": [1, 2]})

    name: str
    versions: list[int]
