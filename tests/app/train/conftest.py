from collections.abc import Callable
from typing import Any

import pytest

from tests.app.pima_like import PRICES

Body = dict[str, Any]

COLUMNS = ["glucose", "bmi", "smokes", "ward", "patient", "day", "w", "outcome"]


def row(i: int) -> list[Any]:
    return [
        100.0 + i,
        None if i == 5 else 20 + i,
        i % 3 == 0,
        "ab"[i % 2],
        f"p{i // 2}",
        f"2024-01-{i + 1:02}",
        1 + i % 2,
        ["yes", "no"][i % 2],
    ]


@pytest.fixture
def table() -> Body:
    return {"kind": "inline", "columns": COLUMNS, "rows": [row(i) for i in range(12)]}


@pytest.fixture
def body(table: Body) -> Callable[..., Body]:
    """A body that is acceptable, with members replaced (``None``: left out)."""

    def made(**changes: Any) -> Body:
        whole: Body = {
            "model": "pima",
            "trainer": {"kind": "double-hinge-svm"},
            "costs": PRICES,
            "rule": {"kind": "plug-in"},
            "data": table,
            "target": {"column": "outcome", "positive": "yes"},
        }
        whole.update(changes)
        return {key: value for key, value in whole.items() if value is not None}

    return made
