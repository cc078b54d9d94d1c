"""What keys look like from outside; their text is shown once, when they are made."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.keys.scopes import Scope
from app.strict import Answer, StrictModel

__all__ = ["IssuedKey", "KeyAnswer", "KeyRequest", "KeysAnswer", "KeysQuery"]

ENTRY: dict[str, Any] = {
    "id": "2f1c7c52-5a0e-4f6e-9a55-6d0f6f3c1b11",
    "name": "triage desk",
    "scope": "predict",
    "created_at": "2026-03-02T09:30:01.580000Z",
    "revoked_at": None,
}


class KeyRequest(StrictModel):
    """A key to be issued."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "triage desk", "scope": "predict"}]}
    )

    name: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,200}$")]
    """Who or what it is for, in up to 200 characters."""
    scope: Scope
    """What it opens: predict, train (and predict), admin (everything)."""


class KeyAnswer(Answer):
    """A key that was issued, without its text."""

    model_config = ConfigDict(json_schema_extra={"examples": [ENTRY]})

    id: str
    name: str
    scope: Scope
    created_at: datetime
    revoked_at: datetime | None
    """Null while it is valid."""


class IssuedKey(KeyAnswer):
    """A fresh key with its text, which is kept nowhere and shown this once."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{**ENTRY, "key": "demur_" + "-".join(["random"] * 6)}]
        }
    )

    key: str
    """Send it as ``Authorization: Bearer KEY``."""


class KeysAnswer(Answer):
    """A page of keys, newest first."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"keys": [ENTRY], "next": None}]}
    )

    keys: list[KeyAnswer]
    next: str | None
    """Give it as ``before`` for older keys; null on the last page."""


class KeysQuery(BaseModel):
    """How many keys."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(default=50, ge=1, le=200, description="Keys on a page.")
    before: str | None = Field(
        default=None,
        pattern="^[0-9a-f-]{36}$",
        description="Only keys older than this one: `next` of the page before.",
    )
