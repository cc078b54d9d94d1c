"""What several trainers are fitted on."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def table():
    """Rows of two classes that no line parts."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(260, 4))
    y = np.where(
        X[:, 0] + X[:, 1] ** 2 - 1 + 0.6 * rng.normal(size=260) > 0, "ill", "fit"
    )
    return X, y
