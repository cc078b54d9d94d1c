"""What is registered or can be set is in the documentation."""

from pathlib import Path

import pytest

from app.settings import Settings
from solvers.rules.registry import RULES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_told_to_operators(name: str) -> None:
    page = (DOCS / "operating.md").read_text(encoding="utf-8")
    assert f"`DEMUR_{name.upper()}`" in page
    assert Settings.model_fields[name].description


@pytest.mark.parametrize("kind", sorted(RULES))
def test_every_rule_is_told_to_users(kind: str) -> None:
    assert f"`{kind}`" in (DOCS / "api.md").read_text(encoding="utf-8")
