"""Rows of one part that equal a row of another: what they say is no news.

Held-out rows that equal a training row flatter the evaluation; calibration rows that do
flatter what a rule promises.
"""

import numpy as np
from numpy.typing import NDArray

from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.worker.fit.partition import Partition

__all__ = ["count_repeated", "repeat_warnings"]

Floats = NDArray[np.float64]

_THE_SAME = (
    "if they are the same cases; name a column that tells cases apart under /groups"
)
_FLATTERS = {
    "held-out": f"the evaluation flatters the model {_THE_SAME}",
    "calibration": f"what the rule promises flatters the model {_THE_SAME}",
}


def count_repeated(known: Floats, fresh: Floats) -> int:
    """Return how many fresh rows have all their encoded columns in a known row.

    Parameters
    ----------
    known : ndarray of shape (n_known, n_encoded)
    fresh : ndarray of shape (n_fresh, n_encoded)
    """
    # Adding zero turns -0.0 into 0.0: equal numbers are equal bytes then.
    seen = {row.tobytes() for row in known + 0.0}
    return sum(row.tobytes() in seen for row in fresh + 0.0)


def repeat_warnings(
    features: FeatureSchema, table: Table, parts: Partition
) -> list[str]:
    """Return the warnings that rows of two parts are equal, where some are."""

    def encoded(rows: NDArray[np.int64]) -> Floats:
        if not len(rows):
            return np.empty((0, features.n_encoded))
        return encode_table(features, table.take(rows)).matrix

    training = encoded(parts.training)
    calibration, held = encoded(parts.calibration), encoded(parts.holdout)
    pairs = (
        ("held-out", held, "training", training),
        ("held-out", held, "calibration", calibration),
        ("calibration", calibration, "training", training),
    )
    return [
        f"{repeated} of {len(fresh)} {name} rows equal a {other} row in every feature:"
        f" {_FLATTERS[name]}"
        for name, fresh, other, known in pairs
        if len(fresh) and len(known) and (repeated := count_repeated(known, fresh))
    ]
