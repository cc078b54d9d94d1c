"""What finished candidates of a search did, until the job ends."""

import sqlalchemy as sa
from alembic import op

revision = "20261129_search_figures"
down_revision = "20261129_stored_plans"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "search_figures",
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("figures", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"],
            ["jobs.id"],
            name=op.f("fk_search_figures_job_id_jobs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("job_id", "digest", name=op.f("pk_search_figures")),
    )


def downgrade() -> None:
    op.drop_table("search_figures")
