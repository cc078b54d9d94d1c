"""docs/errata.md names every test beside it, and every test has its erratum."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "errata.md"


def test_every_erratum_names_its_test_and_every_test_its_erratum():
    page = PAGE.read_text(encoding="utf-8")
    named = re.findall(r"`tests/papers/(\w+\.py)::(test_\w+)`", page)
    written = [
        (path.name, node.name)
        for path in HERE.glob("test_errata_of_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert written
    assert sorted(named) == sorted(written)
