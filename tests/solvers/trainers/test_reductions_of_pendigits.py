"""The published reductions, on the data set they were published for."""

import os
from pathlib import Path

import numpy as np
import pytest

from solvers.trainers.reduced_set import ReducedSetSVC

# Pendigits as published, two classes of five digits; figures checked with LIBSVM.
PENDIGITS = {
    "kernel": "polynomial",
    "degree": 3,
    "C": 100.0,
    "gamma": 8.0,
    "coef0": 1.0,
}
ROUGH_PENDIGITS = {"C": 1e4, "gamma": 2.0**-7}
TUNED = {**PENDIGITS, "gamma": 1 / 16, "coef0": 0.0}
EXPECTED = [
    (
        {"method": "m2rs", "rejection_cost": 0.04, "first_stage": ROUGH_PENDIGITS},
        147,
        0.99028,
    ),
    (
        {"method": "m2rs", "rejection_cost": 0.24, "first_stage": ROUGH_PENDIGITS},
        162,
        0.98914,
    ),
    (
        {"method": "m2rs", "rejection_cost": 0.44, "first_stage": ROUGH_PENDIGITS},
        174,
        0.98856,
    ),
    ({"method": "ssca", "distance": 0.9}, 214, 0.98142),
    ({"method": "ssca", "distance": 1.3}, 172, 0.98914),
    ({"method": "sca", **TUNED}, 174, 0.9860),
    ({"method": "sca", "removal": "flip", **TUNED}, 158, 0.9900),
    ({"method": "ssca", "distance": 0.3, **TUNED}, 181, 0.9897),
    ({"method": "ssca", "distance": 1.3, **TUNED}, 141, 0.9929),
]


@pytest.fixture(scope="module")
def pendigits():
    folder = os.environ.get("DEMUR_DATA_FOLDER")
    if not folder or not (Path(folder) / "pendigits.train.csv.gz").is_file():
        pytest.skip("DEMUR_DATA_FOLDER names no folder with pendigits.*.csv.gz")
    parts = []
    for part in ("train", "test"):
        path = Path(folder) / f"pendigits.{part}.csv.gz"
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        parts.append((table[:, :-1], table[:, -1].astype(int)))
    low, high = parts[0][0].min(axis=0), parts[0][0].max(axis=0)
    return [(2.0 * (X - low) / (high - low) - 1.0, y) for X, y in parts]


@pytest.mark.slow
@pytest.mark.parametrize(("parameters", "vectors", "accuracy"), EXPECTED)
def test_pendigits_gives_the_published_reductions(
    pendigits, parameters, vectors, accuracy
):
    (X, y), unseen = pendigits
    model = ReducedSetSVC(**{**PENDIGITS, **parameters}).fit(X, y)
    table = model.compare(*unseen)
    before, after = table["before"], table["after"]
    tuned = parameters.get("gamma") is not None
    assert before["support_vectors"] == pytest.approx(357 if tuned else 214, rel=0.02)
    assert before["accuracy"] == pytest.approx(0.9920 if tuned else 0.98142, abs=5e-4)
    assert after["support_vectors"] == pytest.approx(vectors, rel=0.02)
    assert after["accuracy"] == pytest.approx(accuracy, abs=1e-3)
