"""What keys look like from outside; their text is shown once, when they are made."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    Field,
    StringConstraints,
    model_validator,
)

from app.choices import ID, shape
from app.keys.scopes import SCOPES, Scope
from app.strict import Answer, QueryModel, StrictModel, with_examples

__all__ = [
    "IssuedKey",
    "KeyAnswer",
    "KeyRequest",
    "KeysAnswer",
    "KeysQuery",
    "PeopleListAnswer",
    "PersonAnswer",
    "PersonChange",
]

ENTRY: dict[str, Any] = {
    "id": "2f1c7c52-5a0e-4f6e-9a55-6d0f6f3c1b11",
    "name": "triage desk",
    "scopes": ["predict"],
    "person": None,
    "created_at": "2026-03-02T09:30:01.580000Z",
    "revoked_at": None,
}


_NAME = shape(
    r"^[^\x00-\x1f\x7f]{1,200}$", "1 to 200 characters, none a control character"
)
Name = Annotated[str, StringConstraints(pattern=_NAME)]


class KeyRequest(StrictModel):
    """A key to be issued."""

    model_config = with_examples({"name": "triage desk", "scopes": ["predict"]})

    name: Name
    """Who or what it is for, in up to 200 characters."""
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=len(SCOPES))]
    """What it opens, each by itself; admin opens everything. One alone may be given as
    ``scope``."""
    person: Name | None = None
    """Whose it is, by name; a person who is not known yet is taken in. Left out, a key
    that reviews is its own name's."""

    @model_validator(mode="before")
    @classmethod
    def _one_scope(cls, sent: Any) -> Any:
        if isinstance(sent, dict) and "scope" in sent and "scopes" not in sent:
            rest = {name: value for name, value in sent.items() if name != "scope"}
            return {**rest, "scopes": [sent["scope"]]}
        return sent


class KeyAnswer(Answer):
    """A key that was issued, without its text."""

    model_config = with_examples(ENTRY)

    id: str
    name: str
    scopes: list[Scope]
    person: str | None
    """Whose it is, by name."""
    created_at: datetime
    revoked_at: datetime | None
    """Null while it is valid."""


class IssuedKey(KeyAnswer):
    """A fresh key with its text, which is kept nowhere and shown this once."""

    model_config = with_examples({**ENTRY, "key": "demur_" + "-".join(["random"] * 6)})

    key: str
    """Send it as ``Authorization: Bearer KEY``."""


class KeysAnswer(Answer):
    """A page of keys, newest first."""

    model_config = with_examples({"keys": [ENTRY], "next": None})

    keys: list[KeyAnswer]
    next: str | None
    """Give it as ``before`` for older keys; null on the last page."""


class KeysQuery(QueryModel):
    """How many keys."""

    limit: int = Field(default=50, ge=1, le=200, description="Keys on a page.")
    before: str | None = Field(
        default=None,
        pattern=ID,
        description="Only keys older than this one: `next` of the page before.",
    )


PERSON: dict[str, Any] = {
    "id": "9d1c3c55-4b1e-4b1e-8a44-0f0b6f3c1b22",
    "name": "Anna",
    "active": True,
    "created_at": "2026-03-02T09:30:01.580000Z",
}


class PersonAnswer(Answer):
    """Somebody to whom keys belong."""

    model_config = with_examples(PERSON)

    id: str
    name: str
    active: bool
    """Keys of one who is not open nothing."""
    created_at: datetime


class PeopleListAnswer(Answer):
    """All people, by name."""

    model_config = with_examples({"people": [PERSON]})

    people: list[PersonAnswer]


class PersonChange(StrictModel):
    """What is to change; what is left out stays."""

    model_config = with_examples({"active": True})

    name: Name | None = None
    """A word that says nothing of a person who has left, for example."""
    active: bool | None = None
    """Whether the person's keys open anything."""
