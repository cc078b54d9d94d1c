"""Sessions of the page."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_page_sessions"
down_revision = "20261128_monitor"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "page_sessions",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("key_grant", sa.String(length=64), nullable=False),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_page_sessions")),
    )
    op.create_index(op.f("ix_page_sessions_seen_at"), "page_sessions", ["seen_at"])


def downgrade() -> None:
    op.drop_table("page_sessions")
