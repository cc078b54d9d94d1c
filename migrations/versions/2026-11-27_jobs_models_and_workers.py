"""The first tables: models and their versions, jobs and their inputs, workers."""

import sqlalchemy as sa
from alembic import op

revision = "20261127_jobs"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "models",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("last_version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("last_version >= 0", name=op.f("ck_models_last_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_models")),
        sa.UniqueConstraint("name", name=op.f("uq_models_name")),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("process_start", sa.String(length=32), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("model", sa.String(length=100), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("progress_fraction", sa.Double(), nullable=False),
        sa.Column("progress_message", sa.String(length=200), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.Column("worker_id", sa.String(length=36), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(status = 'failed') = (error IS NOT NULL)",
            name=op.f("ck_jobs_failed_has_error"),
        ),
        sa.CheckConstraint(
            "(status = 'running') = (worker_id IS NOT NULL)",
            name=op.f("ck_jobs_running_has_worker"),
        ),
        sa.CheckConstraint(
            "(status = 'succeeded') = (result IS NOT NULL)",
            name=op.f("ck_jobs_succeeded_has_result"),
        ),
        sa.CheckConstraint(
            "(status IN ('cancelled', 'failed', 'succeeded'))"
            " = (finished_at IS NOT NULL)",
            name=op.f("ck_jobs_finished_has_time"),
        ),
        sa.CheckConstraint(
            "status IN ('cancelled', 'failed', 'queued', 'running', 'succeeded')",
            name=op.f("ck_jobs_status"),
        ),
        sa.CheckConstraint("attempts >= 0", name=op.f("ck_jobs_attempts")),
        sa.CheckConstraint(
            "progress_fraction >= 0 AND progress_fraction <= 1",
            name=op.f("ck_jobs_progress_fraction"),
        ),
        sa.ForeignKeyConstraint(
            ["worker_id"], ["workers.id"], name=op.f("fk_jobs_worker_id_workers")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    op.create_index(op.f("ix_jobs_created_at_id"), "jobs", ["created_at", "id"])
    op.create_index(op.f("ix_jobs_model"), "jobs", ["model"])
    op.create_index(
        op.f("ix_jobs_status_created_at_id"), "jobs", ["status", "created_at", "id"]
    )
    op.create_index(op.f("ix_jobs_worker_id"), "jobs", ["worker_id"])

    op.create_table(
        "job_inputs",
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"],
            ["jobs.id"],
            name=op.f("fk_job_inputs_job_id_jobs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_job_inputs")),
    )
    op.create_table(
        "model_versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.String(length=36), nullable=True),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("artifact_sha256", sa.String(length=64), nullable=False),
        sa.Column("artifact_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "artifact_bytes > 0", name=op.f("ck_model_versions_artifact_bytes")
        ),
        sa.CheckConstraint(
            "length(artifact_sha256) = 64",
            name=op.f("ck_model_versions_artifact_sha256"),
        ),
        sa.CheckConstraint("version >= 1", name=op.f("ck_model_versions_version")),
        sa.ForeignKeyConstraint(
            ["job_id"],
            ["jobs.id"],
            name=op.f("fk_model_versions_job_id_jobs"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["model_id"],
            ["models.id"],
            name=op.f("fk_model_versions_model_id_models"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_versions")),
        sa.UniqueConstraint("job_id", name=op.f("uq_model_versions_job_id")),
        sa.UniqueConstraint(
            "model_id", "version", name=op.f("uq_model_versions_model_id_version")
        ),
    )
    op.create_index(
        op.f("ix_model_versions_artifact_sha256"), "model_versions", ["artifact_sha256"]
    )


def downgrade() -> None:
    op.drop_index(op.f("ix_model_versions_artifact_sha256"), "model_versions")

    op.drop_table("model_versions")
    op.drop_table("job_inputs")
    op.drop_index(op.f("ix_jobs_worker_id"), "jobs")
    op.drop_index(op.f("ix_jobs_status_created_at_id"), "jobs")
    op.drop_index(op.f("ix_jobs_model"), "jobs")
    op.drop_index(op.f("ix_jobs_created_at_id"), "jobs")

    op.drop_table("jobs")
    op.drop_table("workers")
    op.drop_table("models")
