"""What a model's probability hangs on, column by column, whatever its trainer.

A column's influence is the mean of

    |p(x) - p(x with the column's value of another row)|

over held-out rows, each with the value of a row that is drawn without replacement (one
permutation a column, the same draws at every training). It asks for no labels, and does
not depend on prices or thresholds; so it stays true of a version that is re-priced.
"""

import numpy as np
from numpy.typing import NDArray

from app.artifacts.model import ServedModel

__all__ = ["influence"]

MOST_ROWS = 500
MOST_SCORED = 50_000
FEWEST_ROWS = 20


def influence(model: ServedModel, matrix: NDArray[np.float64]) -> dict[str, float]:
    """Return the influence of each column of the user's; nothing where it is too dear.

    Parameters
    ----------
    model : ServedModel
    matrix : ndarray of shape (n_rows, n_encoded)
        Encoded rows that the model has not seen.
    """
    names = model.features.names
    rows = min(len(matrix), MOST_ROWS, MOST_SCORED // max(len(names), 1))
    if rows < FEWEST_ROWS:
        return {}
    draw = np.random.default_rng(0)
    some = matrix[np.sort(draw.choice(len(matrix), rows, replace=False))]
    before = model.judge(some).probabilities
    if before is None:
        return {}
    places = np.array(model.features.encoded_columns)
    shares = {}
    for name in names:
        own, order = places == name, draw.permutation(rows)
        other = some.copy()
        other[:, own] = some[order][:, own]
        after = model.judge(other).probabilities
        assert after is not None  # noqa: S101 - the same model as before
        shares[name] = float(np.abs(after - before).mean())
    return shares
