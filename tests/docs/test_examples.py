"""The documentation's Python runs as it is printed; its links lead somewhere."""

import re
import runpy
from pathlib import Path

import pytest

from app.train.trainers.registry import SCORE_RULES
from solvers.rules import RULES

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def run(page: str) -> dict[str, object]:
    """Return the names that a page's Python defines, run from top to bottom."""
    blocks = CODE.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(blocks) >= 2
    # dataclasses look for the module that a class says it is of
    names: dict[str, object] = {"__name__": __name__}
    exec(compile("\n".join(blocks), page, "exec"), names)  # noqa: S102
    return names


def test_the_python_page_runs_from_top_to_bottom() -> None:
    names = run("docs/python.md")
    # what the page promises: better than the best constant answer, with a certificate
    assert names["mean_cost"] < 0.29  # type: ignore[operator]
    assert names["machine"].duality_gap_ < 1e-3  # type: ignore[attr-defined]


def test_the_page_on_adding_a_rule_adds_one() -> None:
    assert 0.15 < run("docs/add-a-rule.md")["rejected"] < 0.25  # type: ignore[operator]
    for table in ("solvers/rules/registry.py", "app/train/trainers/registry.py"):
        assert f"`{table}`" in (ROOT / "docs/add-a-rule.md").read_text("utf-8")
    assert "symmetric" in RULES
    assert "symmetric" in SCORE_RULES


def test_payments_cost_less_at_prices_of_their_own() -> None:
    spent = runpy.run_path(str(ROOT / "examples/amounts.py"))["main"]()
    assert spent["at its own prices"] < 0.8 * spent["at the mean price"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_to_files(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    missing = [
        target
        for target in targets
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert missing == []
