"""Aliases of versions; descriptions and tags; API keys by their digests.

Columns are added in place on both databases: no table is rebuilt.
"""

import sqlalchemy as sa
from alembic import op

revision = "20261128_aliases_keys"
down_revision = "20261128_job_limits"
branch_labels = None
depends_on = None


def _tags() -> sa.Column[object]:
    return sa.Column(
        "tags",
        sa.JSON(none_as_null=True),
        server_default=sa.text("'{}'"),
        nullable=False,
    )


def upgrade() -> None:
    op.add_column(
        "models", sa.Column("description", sa.Text(), server_default="", nullable=False)
    )
    op.add_column("models", _tags())
    op.add_column("model_versions", _tags())

    op.create_table(
        "aliases",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("alias", sa.String(length=100), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("moved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"],
            ["models.id"],
            name=op.f("fk_aliases_model_id_models"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["model_versions.id"],
            name=op.f("fk_aliases_version_id_model_versions"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_aliases")),
        sa.UniqueConstraint(
            "model_id", "alias", name=op.f("uq_aliases_model_id_alias")
        ),
    )
    op.create_index(op.f("ix_aliases_version_id"), "aliases", ["version_id"])

    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("scope", sa.String(length=16), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "scope IN ('admin', 'predict', 'train')", name=op.f("ck_api_keys_scope")
        ),
        sa.CheckConstraint("length(sha256) = 64", name=op.f("ck_api_keys_sha256")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("sha256", name=op.f("uq_api_keys_sha256")),
    )
    op.create_index(op.f("ix_api_keys_created_at_id"), "api_keys", ["created_at", "id"])


def downgrade() -> None:
    op.drop_table("api_keys")
    op.drop_table("aliases")
    op.drop_column("model_versions", "tags")
    op.drop_column("models", "tags")
    op.drop_column("models", "description")
