"""Data sets, and which jobs use them."""

import sqlalchemy as sa
from alembic import op

revision = "20261127_datasets"
down_revision = "20261127_jobs"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "datasets",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("format", sa.String(length=16), nullable=False),
        sa.Column("n_rows", sa.BigInteger(), nullable=False),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("notes", sa.JSON(), nullable=False),
        sa.Column("uploaded_sha256", sa.String(length=64), nullable=False),
        sa.Column("uploaded_bytes", sa.BigInteger(), nullable=False),
        sa.Column("stored_sha256", sa.String(length=64), nullable=False),
        sa.Column("stored_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("n_rows > 0", name=op.f("ck_datasets_n_rows")),
        sa.CheckConstraint(
            "length(stored_sha256) = 64", name=op.f("ck_datasets_stored_sha256")
        ),
        sa.CheckConstraint(
            "length(uploaded_sha256) = 64", name=op.f("ck_datasets_uploaded_sha256")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_datasets")),
    )
    op.create_index(op.f("ix_datasets_created_at_id"), "datasets", ["created_at", "id"])
    op.create_index(
        op.f("ix_datasets_uploaded_sha256"), "datasets", ["uploaded_sha256"]
    )

    op.create_table(
        "dataset_uses",
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("dataset_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"],
            ["datasets.id"],
            name=op.f("fk_dataset_uses_dataset_id_datasets"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["job_id"],
            ["jobs.id"],
            name=op.f("fk_dataset_uses_job_id_jobs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_dataset_uses")),
    )
    op.create_index(op.f("ix_dataset_uses_dataset_id"), "dataset_uses", ["dataset_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_dataset_uses_dataset_id"), "dataset_uses")

    op.drop_table("dataset_uses")
    op.drop_index(op.f("ix_datasets_uploaded_sha256"), "datasets")
    op.drop_index(op.f("ix_datasets_created_at_id"), "datasets")

    op.drop_table("datasets")
