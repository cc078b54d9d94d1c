"""The documentation's Python runs as it is printed; its links lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def test_the_python_page_runs_from_top_to_bottom() -> None:
    blocks = CODE.findall((ROOT / "docs/python.md").read_text(encoding="utf-8"))
    assert len(blocks) >= 3
    names: dict[str, object] = {}
    exec(compile("\n".join(blocks), "docs/python.md", "exec"), names)  # noqa: S102
    # what the page promises: better than the best constant answer, with a certificate
    assert names["mean_cost"] < 0.29  # type: ignore[operator]
    assert names["machine"].duality_gap_ < 1e-3  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_to_files(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    missing = [
        target
        for target in targets
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert missing == []
