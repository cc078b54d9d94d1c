"""The monitor: counts of what was answered, what is watched, and alarms."""

import sqlalchemy as sa
from alembic import op

revision = "20261128_monitor"
down_revision = "20261128_reviews"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "monitor_buckets",
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("writer", sa.String(length=36), nullable=False),
        sa.Column("n_rows", sa.Integer(), nullable=False),
        sa.Column("positive", sa.Integer(), nullable=False),
        sa.Column("rejects", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("priced", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Double(), nullable=False),
        sa.Column("cells", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["model_versions.id"],
            name=op.f("fk_monitor_buckets_version_id_model_versions"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "version_id", "start", "writer", name=op.f("pk_monitor_buckets")
        ),
    )
    op.create_index(op.f("ix_monitor_buckets_start"), "monitor_buckets", ["start"])
    op.create_table(
        "monitors",
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"],
            ["models.id"],
            name=op.f("fk_monitors_model_id_models"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("model_id", name=op.f("pk_monitors")),
    )
    op.create_table(
        "alarms",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("raised_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("evidence", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("acknowledged_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("person_id", sa.String(length=36), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(acknowledged_at IS NULL) = (note IS NULL)",
            name=op.f("ck_alarms_acknowledged_with_note"),
        ),
        sa.ForeignKeyConstraint(
            ["model_id"],
            ["models.id"],
            name=op.f("fk_alarms_model_id_models"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_alarms_person_id_people")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alarms")),
    )
    op.create_index(
        op.f("ix_alarms_model_id_acknowledged_at"),
        "alarms",
        ["model_id", "acknowledged_at"],
    )


def downgrade() -> None:
    for table in ("alarms", "monitors", "monitor_buckets"):
        op.drop_table(table)
