"""Data sets for the kernel-machine benchmark: made ones, and real ones of a folder."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import make_classification

__all__ = ["REAL", "made", "real"]

Floats = NDArray[np.float64]

# name: rows at most, and whether it is given to both sides as a CSR matrix
REAL = {
    "mammography": (20_000, False),
    "skin": (20_000, False),
    "cod_rna": (20_000, False),
    "ijcnn1.train": (50_000, False),
    "a9a.train": (35_000, True),
}


def made(n: int) -> tuple[Floats, Floats]:
    """Return two noisy classes of several clusters each, 20 standardised columns."""
    X, y = make_classification(
        n,
        20,
        n_informative=10,
        n_redundant=5,
        n_clusters_per_class=8,
        flip_y=0.05,
        random_state=0,
    )
    return _standardised(X), 2.0 * y - 1.0


def real(folder: Path, name: str) -> tuple[Any, Floats]:
    """Return a set of the folder: header, feature columns, last column the label."""
    most, compressed = REAL[name]
    table = np.loadtxt(folder / f"{name}.csv.gz", delimiter=",", skiprows=1)
    order = np.random.default_rng(0).permutation(len(table))[:most]
    X, y = table[order, :-1], table[order, -1]
    return (sparse.csr_matrix(X) if compressed else _standardised(X)), y


def _standardised(X: Floats) -> Floats:
    scale = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(scale > 0, scale, 1.0))
