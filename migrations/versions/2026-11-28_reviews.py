"""Reviews: people, scopes as sets, policies, cases, opinions, verdicts, outcomes.

A key of scope train had all of predict, and admin has all: each keeps what it opened.
"""

import sqlalchemy as sa
from alembic import op

revision = "20261128_reviews"
down_revision = "20261128_aliases_keys"
branch_labels = None
depends_on = None

TABLES = (
    "verdicts",
    "opinions",
    "case_uses",
    "case_events",
    "review_policies",
    "outcomes",
    "cases",
    "counters",
)


def upgrade() -> None:
    op.create_table(
        "counters",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_counters")),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("name", name=op.f("uq_people_name")),
    )
    op.create_table(
        "cases",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("reference", sa.String(length=200), nullable=True),
        sa.Column("open_reference", sa.String(length=200), nullable=True),
        sa.Column("reason", sa.String(length=20), nullable=False),
        sa.Column("decision", sa.String(length=8), nullable=True),
        sa.Column("inclusion", sa.Double(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("probability", sa.Double(), nullable=True),
        sa.Column("would_be", sa.Boolean(), nullable=True),
        sa.Column("labels", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("costs", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("features", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("saving", sa.Double(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("answer", sa.Boolean(), nullable=True),
        sa.Column("answer_probability", sa.Double(), nullable=True),
        sa.Column("truth", sa.Boolean(), nullable=True),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('decided', 'disputed', 'expired', 'reopened', 'waiting',"
            " 'withdrawn')",
            name=op.f("ck_cases_state"),
        ),
        sa.CheckConstraint(
            "inclusion > 0 AND inclusion <= 1", name=op.f("ck_cases_inclusion")
        ),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_cases_model_id_models")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cases")),
        sa.UniqueConstraint(
            "model_id", "open_reference", name=op.f("uq_cases_model_id_open_reference")
        ),
    )
    op.create_index(op.f("ix_cases_closed_at"), "cases", ["closed_at"])
    op.create_index(
        op.f("ix_cases_model_id_reference"), "cases", ["model_id", "reference"]
    )
    op.create_index(
        op.f("ix_cases_model_id_state_opened_at_id"),
        "cases",
        ["model_id", "state", "opened_at", "id"],
    )
    op.create_index(op.f("ix_cases_state_due_at"), "cases", ["state", "due_at"])

    op.create_table(
        "outcomes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("reference", sa.String(length=200), nullable=False),
        sa.Column("positive", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_outcomes_model_id_models")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outcomes")),
        sa.UniqueConstraint(
            "model_id", "reference", name=op.f("uq_outcomes_model_id_reference")
        ),
    )
    op.create_index(op.f("ix_outcomes_at"), "outcomes", ["at"])

    op.create_table(
        "review_policies",
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_review_policies_model_id_models")
        ),
        sa.PrimaryKeyConstraint("model_id", name=op.f("pk_review_policies")),
    )
    op.create_table(
        "case_events",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("case_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("person_id", sa.String(length=36), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=True),
        sa.Column("positive", sa.Boolean(), nullable=True),
        sa.Column("probability", sa.Double(), nullable=True),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["case_id"],
            ["cases.id"],
            name=op.f("fk_case_events_case_id_cases"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_case_events_person_id_people")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_case_events")),
        sa.UniqueConstraint("position", name=op.f("uq_case_events_position")),
    )
    op.create_index(
        op.f("ix_case_events_case_id_kind"), "case_events", ["case_id", "kind"]
    )

    op.create_table(
        "case_uses",
        sa.Column("dataset_id", sa.String(length=36), nullable=False),
        sa.Column("case_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(
            ["case_id"],
            ["cases.id"],
            name=op.f("fk_case_uses_case_id_cases"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["dataset_id"],
            ["datasets.id"],
            name=op.f("fk_case_uses_dataset_id_datasets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("dataset_id", "case_id", name=op.f("pk_case_uses")),
    )
    op.create_index(op.f("ix_case_uses_case_id"), "case_uses", ["case_id"])

    op.create_table(
        "opinions",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("case_id", sa.String(length=36), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("rank", sa.Double(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("draw", sa.Double(), nullable=False),
        sa.Column("person_id", sa.String(length=36), nullable=True),
        sa.Column("token", sa.String(length=64), nullable=True),
        sa.Column("leased_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("verdict_id", sa.String(length=36), nullable=True),
        sa.CheckConstraint(
            "state IN ('given', 'set_aside', 'void', 'wanted')",
            name=op.f("ck_opinions_state"),
        ),
        sa.ForeignKeyConstraint(
            ["case_id"],
            ["cases.id"],
            name=op.f("fk_opinions_case_id_cases"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_opinions_model_id_models")
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_opinions_person_id_people")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_opinions")),
        sa.UniqueConstraint(
            "case_id", "person_id", name=op.f("uq_opinions_case_id_person_id")
        ),
    )
    op.create_index(
        op.f("ix_opinions_model_id_state_draw"),
        "opinions",
        ["model_id", "state", "draw"],
    )
    op.create_index(
        op.f("ix_opinions_model_id_state_due_at"),
        "opinions",
        ["model_id", "state", "due_at"],
    )
    op.create_index(
        op.f("ix_opinions_model_id_state_opened_at"),
        "opinions",
        ["model_id", "state", "opened_at"],
    )
    op.create_index(
        op.f("ix_opinions_model_id_state_rank_opened_at"),
        "opinions",
        ["model_id", "state", "rank", "opened_at"],
    )
    op.create_index(op.f("ix_opinions_person_id"), "opinions", ["person_id"])

    op.create_table(
        "verdicts",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("opinion_id", sa.String(length=36), nullable=False),
        sa.Column("case_id", sa.String(length=36), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.String(length=36), nullable=False),
        sa.Column("positive", sa.Boolean(), nullable=False),
        sa.Column("sure", sa.Double(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("sure >= 0.5 AND sure <= 1", name=op.f("ck_verdicts_sure")),
        sa.ForeignKeyConstraint(
            ["case_id"],
            ["cases.id"],
            name=op.f("fk_verdicts_case_id_cases"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_verdicts_model_id_models")
        ),
        sa.ForeignKeyConstraint(
            ["opinion_id"],
            ["opinions.id"],
            name=op.f("fk_verdicts_opinion_id_opinions"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_verdicts_person_id_people")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdicts")),
    )
    op.create_index(op.f("ix_verdicts_case_id"), "verdicts", ["case_id"])
    op.create_index(op.f("ix_verdicts_model_id_at"), "verdicts", ["model_id", "at"])
    op.create_index(op.f("ix_verdicts_opinion_id"), "verdicts", ["opinion_id"])
    op.create_index(op.f("ix_verdicts_person_id_at"), "verdicts", ["person_id", "at"])
    op.execute("INSERT INTO counters (name, last) VALUES ('changes', 0)")

    with op.batch_alter_table("api_keys") as batch:
        batch.drop_constraint(op.f("ck_api_keys_scope"), type_="check")
        batch.alter_column(
            "scope",
            new_column_name="scopes",
            existing_type=sa.String(length=16),
            type_=sa.String(length=64),
            existing_nullable=False,
        )
        batch.add_column(sa.Column("person_id", sa.String(length=36), nullable=True))
        batch.create_foreign_key(
            op.f("fk_api_keys_person_id_people"), "people", ["person_id"], ["id"]
        )
    op.create_index(op.f("ix_api_keys_person_id"), "api_keys", ["person_id"])
    op.execute("UPDATE api_keys SET scopes = 'predict train' WHERE scopes = 'train'")


def downgrade() -> None:
    # Keys of scopes that were not known then open nothing.
    op.execute("UPDATE api_keys SET scopes = 'train' WHERE scopes = 'predict train'")
    op.execute("DELETE FROM api_keys WHERE scopes NOT IN ('admin', 'predict', 'train')")
    op.drop_index(op.f("ix_api_keys_person_id"), table_name="api_keys")
    with op.batch_alter_table("api_keys") as batch:
        batch.drop_constraint(op.f("fk_api_keys_person_id_people"), type_="foreignkey")
        batch.drop_column("person_id")
        batch.alter_column(
            "scopes",
            new_column_name="scope",
            existing_type=sa.String(length=64),
            type_=sa.String(length=16),
            existing_nullable=False,
        )
        batch.create_check_constraint(
            op.f("ck_api_keys_scope"), "scope IN ('admin', 'predict', 'train')"
        )
    for table in (*TABLES, "people"):
        op.drop_table(table)
