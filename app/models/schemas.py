"""What models and their versions look like from outside."""

from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field

from app.choices import NAME, TAG, shape
from app.strict import Answer, QueryModel, with_examples

__all__ = [
    "ModelAnswer",
    "ModelEntry",
    "ModelQuery",
    "ModelsAnswer",
    "ModelsQuery",
    "VersionAnswer",
    "VersionEntry",
    "VersionRef",
]

CREATED = "2026-03-02T09:30:01.580000Z"
ENTRY: dict[str, Any] = {
    "name": "pima",
    "created_at": CREATED,
    "latest_version": 1,
    "versions": 1,
    "description": "",
    "tags": {"team": "risk"},
}
VERSION: dict[str, Any] = {
    "name": "pima",
    "version": 1,
    "created_at": CREATED,
    "job_id": "0b9f4c1e-6f0e-4c52-9a34-1f0f6f6f2a10",
    "artifact_sha256": "9f86d081" * 8,
    "artifact_bytes": 48213,
    "tags": {"data": "2026-02"},
    "trainer": {"kind": "double-hinge-svm", "C": 1.0, "kernel": {"kind": "rbf"}},
    "costs": {
        "false_positive": 1,
        "false_negative": 5,
        "reject_positive": 0.6,
        "reject_negative": 0.3,
    },
    "rule": {"kind": "plug-in"},
    "thresholds": {"lower": -2.5, "upper": 0.18},
    "training_rows": 480,
    "evaluation": {"rows": 120, "expected_cost": 0.41, "reject_rate": 0.22},
    "library_versions": {"demur": "0.1.0", "numpy": "2.4.0"},
}


class ModelEntry(Answer):
    """A model in the list."""

    name: str
    created_at: datetime
    latest_version: int
    versions: int
    """How many versions there are."""
    description: str
    tags: dict[str, str]


class ModelsAnswer(Answer):
    """A page of models, by name."""

    model_config = with_examples({"models": [ENTRY], "next": None})

    models: list[ModelEntry]
    next: str | None
    """Give it as ``after`` for the next page; null on the last."""


class VersionAnswer(Answer):
    """One trained model: what it is and how it did on rows it had not seen.

    Beside the members named here it has what its trainer reports: ``trainer``,
    ``costs``, ``rule``, ``thresholds``, ``features``, ``labels``, ``training_rows``,
    ``guards``, ``evaluation``, ``warnings`` and more; ``influence`` says by column how
    far the probability moves, on average, with the value of another row. One that was
    re-priced has the scorer of the version that ``repriced_from`` names, and no job.
    """

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [VERSION]})

    name: str
    version: int
    created_at: datetime
    job_id: str | None
    artifact_sha256: str
    """Digest of the file that predictions are made from; checked before each load."""
    artifact_bytes: int
    tags: dict[str, str]
    """They alone may change: PATCH /models/{name}/versions/{version}."""


class VersionRef(Answer):
    """Which version of which model."""

    name: str
    version: int


class VersionEntry(Answer):
    """A version in the list of its model."""

    version: int
    created_at: datetime
    artifact_sha256: str
    tags: dict[str, str]


class ModelAnswer(Answer):
    """A model: its newest version in full, and a page of all versions."""

    model_config = with_examples(
        {
            "name": "pima",
            "created_at": CREATED,
            "description": "",
            "tags": {"team": "risk"},
            "aliases": {"champion": 1},
            "latest_version": 1,
            "latest": VERSION,
            "versions": [
                {
                    "version": 1,
                    "created_at": CREATED,
                    "artifact_sha256": VERSION["artifact_sha256"],
                    "tags": {"data": "2026-02"},
                }
            ],
            "next": None,
        }
    )

    name: str
    created_at: datetime
    description: str
    tags: dict[str, str]
    aliases: dict[str, int]
    """Which version each alias points at."""
    latest_version: int
    latest: VersionAnswer
    versions: list[VersionEntry]
    next: int | None
    """Give it as ``after`` for the next page; null on the last."""


class ModelsQuery(QueryModel):
    """Which models, and how many."""

    limit: int = Field(default=50, ge=1, le=200, description="Models on a page.")
    after: str | None = Field(
        default=None,
        pattern=NAME,
        description="Only models after this one: `next` of the page before.",
    )
    sort: Literal["name", "-name", "created_at", "-created_at"] = Field(
        default="name", description="By what they are sorted; - is downwards."
    )
    search: str = Field(
        default="",
        max_length=100,
        pattern=shape(
            "^[A-Za-z0-9._-]*$", "letters, digits, dots, underscores and hyphens"
        ),
        description="Only models with this in their name, in any case.",
    )
    tag: str | None = Field(
        default=None,
        pattern=TAG,
        description="Only those with this tag, as NAME=VALUE.",
        examples=["team=risk"],
    )


class ModelQuery(QueryModel):
    """Which versions, and how many."""

    limit: int = Field(default=50, ge=1, le=200, description="Versions on a page.")
    after: int | None = Field(
        default=None,
        ge=1,
        le=2**31 - 1,
        description="Only versions after this one, in the order of the list: `next` "
        "of the page before.",
    )
    before: int | None = Field(
        default=None,
        ge=1,
        le=2**31 - 1,
        description="Only versions of a lower number.",
    )
    sort: Literal["version", "-version", "created_at", "-created_at"] = Field(
        default="-version", description="By what they are sorted; - is downwards."
    )
    tag: str | None = Field(
        default=None,
        pattern=TAG,
        description="Only those with this tag, as NAME=VALUE.",
        examples=["team=risk"],
    )
