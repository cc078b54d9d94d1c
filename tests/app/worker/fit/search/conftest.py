from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Body = dict[str, Any]

COSTS = {
    "false_positive": 1,
    "false_negative": 5,
    "reject_positive": 0.6,
    "reject_negative": 0.3,
}
COLUMNS = ["x", "z", "ward", "patient", "day", "y"]


def rows(n: int = 120, seed: int = 0) -> list[list[Any]]:
    """Two numbers, a category, forty patients, sixty days; the first number tells."""
    generator = np.random.default_rng(seed)
    made = []
    for i in range(n):
        x, z = generator.normal(size=2).tolist()
        sick = x + 0.7 * generator.normal() > 0.2
        ward = "ab"[i % 2]
        made.append([x, z, ward, f"p{i // 3}", i // 2, "yes" if sick else "no"])
    return made


@pytest.fixture
def body() -> Callable[..., Body]:
    """A body with all its rows, with members replaced (``None``: left out)."""

    def made(**changes: Any) -> Body:
        whole: Body = {
            "model": "m",
            "trainer": {"kind": "double-hinge-svm"},
            "costs": COSTS,
            "data": {"kind": "inline", "columns": COLUMNS, "rows": rows()},
            "target": {"column": "y", "positive": "yes"},
        }
        whole.update(changes)
        return {key: value for key, value in whole.items() if value is not None}

    return made
