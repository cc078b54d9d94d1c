"""Guards over the rows of a table, as training and evaluation have them."""

import numpy as np
from numpy.typing import NDArray

from app.features.encoding import Encoded
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.guards.guards import Guards

__all__ = ["guarded_rows"]


def guarded_rows(
    guards: Guards, features: FeatureSchema, table: Table, encoded: Encoded
) -> NDArray[np.int8] | None:
    """Return which guard rejects each row, or None where no guard is on.

    Parameters
    ----------
    guards : Guards
    features : FeatureSchema
    table : Table
    encoded : Encoded
        The same rows, encoded by ``features``.
    """
    if not guards:
        return None

    def missing() -> NDArray[np.bool_]:
        guarded = np.zeros(table.n_rows, dtype=np.bool_)
        for name in features.names:
            guarded |= table.missing(name)
        return guarded

    codes = guards.fired(encoded.matrix, encoded.notes, missing)
    return np.zeros(table.n_rows, dtype=np.int8) if codes is None else codes
