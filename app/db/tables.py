"""The tables: models, versions and aliases, jobs, workers, data sets, people and keys.

A version is written once and never changed; its number comes from
``models.last_version`` (one UPDATE that adds 1), so that numbers are neither shared nor
used twice. A job is a row, and the queue is the rows that are ``queued``, oldest first.
The request of a training is kept apart (``job_inputs``), because it holds the user's
rows and goes when the job ends. The answer to a training that was sent with an
``Idempotency-Key`` is kept for a while (``replays``).
"""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, Utc, utc_now
from app.db.states import FINISHED, JobKind, JobStatus, listed

__all__ = [
    "Alias",
    "ApiKey",
    "Dataset",
    "DatasetUse",
    "Job",
    "JobInput",
    "Model",
    "ModelVersion",
    "PageSession",
    "Person",
    "Replay",
    "Worker",
]

Json = JSON(none_as_null=True)


def new_id() -> str:
    """Return a fresh identifier that tells nothing."""
    return str(uuid.uuid4())


class Model(Base):
    """A name, under which versions are numbered from 1."""

    __tablename__ = "models"
    __table_args__ = (CheckConstraint("last_version >= 0", name="last_version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    last_version: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime] = mapped_column(Utc, default=utc_now)
    description: Mapped[str] = mapped_column(Text, default="", server_default="")
    tags: Mapped[dict[str, str]] = mapped_column(
        Json, default=dict, server_default=text("'{}'")
    )


class ModelVersion(Base):
    """One trained model: what it is (``summary``) and which file is its own."""

    __tablename__ = "model_versions"
    __table_args__ = (
        UniqueConstraint("model_id", "version"),
        CheckConstraint("version >= 1", name="version"),
        CheckConstraint("length(artifact_sha256) = 64", name="artifact_sha256"),
        CheckConstraint("artifact_bytes > 0", name="artifact_bytes"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    model_id: Mapped[int] = mapped_column(ForeignKey("models.id", ondelete="CASCADE"))
    version: Mapped[int]
    job_id: Mapped[str | None] = mapped_column(
        ForeignKey("jobs.id", ondelete="SET NULL"), unique=True
    )
    summary: Mapped[dict[str, Any]] = mapped_column(Json)
    artifact_sha256: Mapped[str] = mapped_column(String(64), index=True)
    artifact_bytes: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(Utc, default=utc_now)
    tags: Mapped[dict[str, str]] = mapped_column(
        Json, default=dict, server_default=text("'{}'")
    )
    """Words about the version, not of it: they alone may change."""


class Alias(Base):
    """A name that is moved from version to version, such as ``champion``."""

    __tablename__ = "aliases"
    __table_args__ = (UniqueConstraint("model_id", "alias"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    model_id: Mapped[int] = mapped_column(ForeignKey("models.id", ondelete="CASCADE"))
    alias: Mapped[str] = mapped_column(String(100))
    version_id: Mapped[int] = mapped_column(ForeignKey("model_versions.id"), index=True)
    """No version is deleted under its alias: the database refuses."""
    moved_at: Mapped[datetime] = mapped_column(Utc, default=utc_now)


class Person(Base):
    """Somebody who reviews cases or leads those who do; keys belong to people."""

    __tablename__ = "people"

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    active: Mapped[bool] = mapped_column(default=True)
    """Keys of one who is not open nothing."""
    created_at: Mapped[datetime] = mapped_column(Utc, default=utc_now)


class ApiKey(Base):
    """A key that was issued; its digest only. A revoked one stays, to be listed."""

    __tablename__ = "api_keys"
    __table_args__ = (
        CheckConstraint("length(sha256) = 64", name="sha256"),
        Index(None, "created_at", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(String(200))
    scopes: Mapped[str] = mapped_column(String(64))
    """With spaces between them; see ``app.keys.scopes``."""
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id"), index=True)
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(Utc, default=utc_now)
    revoked_at: Mapped[datetime | None] = mapped_column(Utc)


class PageSession(Base):
    """Somebody who has come in to the page by a key; see ``app.keys.sessions``."""

    __tablename__ = "page_sessions"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Digest of the token in the cookie."""
    grant: Mapped[str] = mapped_column("key_grant", String(64))
    """Digest of the token with the digest of the key."""
    began_at: Mapped[datetime] = mapped_column(Utc)
    seen_at: Mapped[datetime] = mapped_column(Utc, index=True)


class StoreToken(Base):
    """The store of models that belongs to this database; see ``artifacts.identity``."""

    __tablename__ = "store_token"

    id: Mapped[int] = mapped_column(primary_key=True)
    """Always 1."""
    token: Mapped[str] = mapped_column(String(36))


class Worker(Base):
    """A worker process that is, or was, alive."""

    __tablename__ = "workers"

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    host: Mapped[str] = mapped_column(String(255))
    """Machine, boot and process namespace: where ``pid`` means something."""
    pid: Mapped[int]
    process_start: Mapped[str] = mapped_column(String(32))
    """When the process began, as its machine counts it: tells reused pids apart."""
    started_at: Mapped[datetime] = mapped_column(Utc, default=utc_now)
    heartbeat_at: Mapped[datetime] = mapped_column(Utc, default=utc_now)


class Job(Base):
    """One training, or the deciding of many rows, from its request to its end."""

    __tablename__ = "jobs"
    __table_args__ = (
        CheckConstraint(f"status IN ({listed(JobStatus)})", name="status"),
        CheckConstraint(
            "(status = 'running') = (worker_id IS NOT NULL)", name="running_has_worker"
        ),
        CheckConstraint(
            f"(status IN ({listed(FINISHED)})) = (finished_at IS NOT NULL)",
            name="finished_has_time",
        ),
        CheckConstraint(
            "(status = 'succeeded') = (result IS NOT NULL)", name="succeeded_has_result"
        ),
        CheckConstraint(
            "(status = 'failed') = (error IS NOT NULL)", name="failed_has_error"
        ),
        CheckConstraint(
            "progress_fraction >= 0 AND progress_fraction <= 1",
            name="progress_fraction",
        ),
        CheckConstraint("attempts >= 0", name="attempts"),
        CheckConstraint("max_seconds > 0", name="max_seconds"),
        Index(None, "status", "created_at", "id"),
        Index(None, "created_at", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    status: Mapped[str] = mapped_column(String(16), default=JobStatus.QUEUED)
    kind: Mapped[JobKind] = mapped_column(
        String(8), default=JobKind.TRAIN, server_default=JobKind.TRAIN
    )
    parent_id: Mapped[str | None] = mapped_column(String(36), index=True)
    """The job that a part belongs to."""
    model: Mapped[str] = mapped_column(String(100), index=True)
    priority: Mapped[int] = mapped_column(default=0, server_default="0")
    """Higher ones first; among equals, the oldest."""
    max_seconds: Mapped[int | None]
    """Longest that one attempt may run; null: what the worker's settings allow."""
    attempts: Mapped[int] = mapped_column(default=0)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    progress_fraction: Mapped[float] = mapped_column(default=0.0)
    progress_message: Mapped[str] = mapped_column(String(200), default="queued")
    result: Mapped[dict[str, Any] | None] = mapped_column(Json)
    error: Mapped[dict[str, Any] | None] = mapped_column(Json)
    worker_id: Mapped[str | None] = mapped_column(ForeignKey("workers.id"), index=True)
    created_at: Mapped[datetime] = mapped_column(Utc, default=utc_now)
    started_at: Mapped[datetime | None] = mapped_column(Utc)
    finished_at: Mapped[datetime | None] = mapped_column(Utc)


class JobInput(Base):
    """The request of a job, byte for byte; deleted when the job ends."""

    __tablename__ = "job_inputs"

    job_id: Mapped[str] = mapped_column(
        ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True
    )
    body: Mapped[bytes] = mapped_column(LargeBinary)
    plan: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """What a training resolves to; null where an earlier release queued it."""


class Replay(Base):
    """The answer to a training that was sent with an ``Idempotency-Key``."""

    __tablename__ = "replays"
    __table_args__ = (CheckConstraint("length(body_sha256) = 64", name="body_sha256"),)

    key_sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Digest of who asked and of the key, so that neither is kept."""
    body_sha256: Mapped[str] = mapped_column(String(64))
    job_id: Mapped[str | None] = mapped_column(
        ForeignKey("jobs.id", ondelete="CASCADE"), index=True
    )
    answer: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """The first answer; null only inside the transaction that makes it."""
    expires_at: Mapped[datetime] = mapped_column(Utc, index=True)


class Dataset(Base):
    """An uploaded table: what it holds, and which file of the data folder it is."""

    __tablename__ = "datasets"
    __table_args__ = (
        CheckConstraint("n_rows > 0", name="n_rows"),
        CheckConstraint("length(uploaded_sha256) = 64", name="uploaded_sha256"),
        CheckConstraint("length(stored_sha256) = 64", name="stored_sha256"),
        Index(None, "created_at", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(String(200))
    format: Mapped[str] = mapped_column(String(16))
    n_rows: Mapped[int] = mapped_column(BigInteger)
    columns: Mapped[list[dict[str, Any]]] = mapped_column(Json)
    notes: Mapped[list[str]] = mapped_column(Json)
    uploaded_sha256: Mapped[str] = mapped_column(String(64), index=True)
    uploaded_bytes: Mapped[int] = mapped_column(BigInteger)
    stored_sha256: Mapped[str] = mapped_column(String(64))
    stored_bytes: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(Utc, default=utc_now)


class DatasetUse(Base):
    """Which data set a job trains on; kept after it, to tell what was made of it."""

    __tablename__ = "dataset_uses"

    job_id: Mapped[str] = mapped_column(
        ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True
    )
    dataset_id: Mapped[str] = mapped_column(
        ForeignKey("datasets.id", ondelete="CASCADE"), index=True
    )
