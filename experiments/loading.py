"""Data sets of a folder: NAME.csv.gz, a header row, the label (1 or -1) last."""

import gzip
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Rows", "draw", "load"]

Floats = NDArray[np.float64]
Rows = tuple[Floats, Floats]


@lru_cache(maxsize=4)
def load(folder: Path, name: str) -> Rows:
    """Return the features, (n_rows, n_features), and the labels in {-1, +1}.

    Raises
    ------
    FileNotFoundError
        With the name of the set and of the folder.
    """
    path = folder / f"{name}.csv.gz"
    if not path.is_file():
        msg = f"no data set {name!r}: {path.name} is not in {folder}"
        raise FileNotFoundError(msg)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        table = np.loadtxt(lines, delimiter=",", skiprows=1, dtype=np.float64)
    labels = table[:, -1]
    if not np.isin(labels, (-1.0, 1.0)).all():
        msg = f"the last column of {path.name} must hold 1 and -1 only"
        raise ValueError(msg)
    return np.ascontiguousarray(table[:, :-1]), labels


def draw(rows: Rows, n_rows: int, rng: np.random.Generator) -> Rows:
    """Return a random part of at most n_rows rows, without replacement."""
    X, y = rows
    if len(y) <= n_rows:
        return rows
    chosen = rng.permutation(len(y))[:n_rows]
    return X[chosen], y[chosen]
