from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.app.trainings import PRICES, Body, changed, inline, training

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
        whole = training(
            trainer={"kind": "double-hinge-svm"},
            rule=None,
            costs=PRICES,
            data=inline(rows(), COLUMNS),
        )
        return changed(whole, **changes)

    return made
