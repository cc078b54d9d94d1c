"""A million rows fit in two gigabytes, the table of 240 MB included."""

import subprocess
import sys

import pytest

FIT = """
import numpy as np
from solvers import AbstentionBoostingClassifier
random = np.random.default_rng(0)
X = random.normal(size=(1_000_000, 30))
y = random.random(1_000_000) < 1.0 / (1.0 + np.exp(-X[:, 0]))
model = AbstentionBoostingClassifier(n_rounds=20).fit(X, y)
assert model.decide(X[:10]).shape == (10,)
from tests.benchmarks.resident import peak_bytes
print(peak_bytes() / 2**20)
"""


@pytest.mark.slow
def test_a_million_rows_fit_in_two_gigabytes():
    told = subprocess.run(
        [sys.executable, "-c", FIT], capture_output=True, text=True, check=True
    )
    assert float(told.stdout) < 2000.0
