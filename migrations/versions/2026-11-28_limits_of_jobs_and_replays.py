"""Priority and longest time of a job; answers kept for an Idempotency-Key.

The columns are added in place on both databases: rebuilding ``jobs``, as SQLite would
need for a constraint of the table, would take the inputs of waiting jobs with it.
"""

import sqlalchemy as sa
from alembic import op

revision = "20261128_job_limits"
down_revision = "20261127_datasets"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "jobs",
        sa.Column("priority", sa.Integer(), server_default="0", nullable=False),
    )
    op.execute(
        "ALTER TABLE jobs ADD COLUMN max_seconds INTEGER"
        " CONSTRAINT ck_jobs_max_seconds CHECK (max_seconds > 0)"
    )

    op.create_table(
        "replays",
        sa.Column("key_sha256", sa.String(length=64), nullable=False),
        sa.Column("body_sha256", sa.String(length=64), nullable=False),
        sa.Column("job_id", sa.String(length=36), nullable=True),
        sa.Column("answer", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "length(body_sha256) = 64", name=op.f("ck_replays_body_sha256")
        ),
        sa.ForeignKeyConstraint(
            ["job_id"],
            ["jobs.id"],
            name=op.f("fk_replays_job_id_jobs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key_sha256", name=op.f("pk_replays")),
    )
    op.create_index(op.f("ix_replays_job_id"), "replays", ["job_id"])
    op.create_index(op.f("ix_replays_expires_at"), "replays", ["expires_at"])


def downgrade() -> None:
    op.drop_table("replays")
    op.execute("ALTER TABLE jobs DROP COLUMN max_seconds")
    op.execute("ALTER TABLE jobs DROP COLUMN priority")
