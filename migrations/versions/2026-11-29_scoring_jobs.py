"""Jobs that decide rows, and their parts, beside those that train."""

import sqlalchemy as sa
from alembic import op

revision = "20261129_scoring_jobs"
down_revision = "20261129_missing_price"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "jobs",
        sa.Column("kind", sa.String(length=8), nullable=False, server_default="train"),
    )
    op.add_column("jobs", sa.Column("parent_id", sa.String(length=36), nullable=True))
    op.create_index(op.f("ix_jobs_parent_id"), "jobs", ["parent_id"])


def downgrade() -> None:
    op.execute("DELETE FROM jobs WHERE kind <> 'train'")
    op.drop_index(op.f("ix_jobs_parent_id"), table_name="jobs")
    op.drop_column("jobs", "parent_id")
    op.drop_column("jobs", "kind")
