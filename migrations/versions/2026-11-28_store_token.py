"""The token of the store that belongs to the database."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_store_token"
down_revision = "20261128_page_sessions"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "store_token",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=36), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_store_token")),
    )


def downgrade() -> None:
    op.drop_table("store_token")
