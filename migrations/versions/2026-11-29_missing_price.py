"""Policies that sent every reject to people send those without a price of their own."""

import json
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "20261129_missing_price"
down_revision = "20261128_store_token"
branch_labels = None
depends_on = None

NEW = "missing_price"
BEFORE = ["ambiguous", "outlier", "unseen_category", "missing_value"]
POLICIES = sa.table(
    "review_policies", sa.column("model_id", sa.Integer), sa.column("policy", sa.Text)
)


def upgrade() -> None:
    def opened(reasons: list[str]) -> list[str]:
        return [*reasons, NEW] if set(reasons) == set(BEFORE) else reasons

    _rewrite(opened)


def downgrade() -> None:
    def known(reasons: list[str]) -> list[str]:
        return [reason for reason in reasons if reason != NEW] or BEFORE

    _rewrite(known)


def _rewrite(change: Callable[[list[str]], list[str]]) -> None:
    connection = op.get_bind()
    rows = connection.execute(sa.select(POLICIES.c.model_id, POLICIES.c.policy))
    for model_id, text in rows.all():
        policy: dict[str, Any] = json.loads(text)
        if "send" not in policy:
            continue
        policy["send"] = change(policy["send"])
        connection.execute(
            POLICIES.update()
            .where(POLICIES.c.model_id == model_id)
            .values(policy=json.dumps(policy))
        )
