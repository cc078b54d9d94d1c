"""What a training resolves to, stored with it; jobs that wait have none."""

import sqlalchemy as sa
from alembic import op

revision = "20261129_stored_plans"
down_revision = "20261129_scoring_jobs"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("job_inputs", sa.Column("plan", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("job_inputs", "plan")
