"""The notebooks run from top to bottom, and show what their words say."""

import json
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str) -> dict[str, Any]:
    """Return the names that a notebook's cells define."""
    pytest.importorskip("matplotlib").use("Agg")
    cells = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec(compile("".join(cell["source"]), name, "exec"), names)  # noqa: S102
    return names


def test_a_dearer_second_look_is_asked_for_less() -> None:
    names = run("prices.ipynb")
    assert names["asked"] == sorted(names["asked"], reverse=True)
    assert names["asked"][0] > names["asked"][-1]


def test_promises_are_kept_and_cost_rejects() -> None:
    names = run("promises.ipynb")
    assert not names["few"].rule_.feasible_
    assert names["model"].rule_.feasible_
    assert names["selective_error"] <= 0.05
    assert names["sent"] == sorted(names["sent"], reverse=True)
