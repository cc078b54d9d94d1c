"""A typical row: what an explanation compares a row with."""

import numpy as np
from numpy.typing import NDArray

from app.features.schema import FeatureSchema

__all__ = ["typical_row"]

Floats = NDArray[np.float64]


def typical_row(schema: FeatureSchema, matrix: Floats) -> Floats:
    """Return medians of the numbers and the most frequent category of each column.

    Parameters
    ----------
    schema : FeatureSchema
    matrix : ndarray of shape (n_rows, n_encoded)
        Encoded training rows.

    Returns
    -------
    ndarray of shape (n_encoded,)
        A number that no row has is NaN.
    """
    place = np.array(schema.encoded_columns)
    typical = np.full(matrix.shape[1], np.nan)
    known = ~np.isnan(matrix).all(axis=0)
    typical[known] = np.nanmedian(matrix[:, known], axis=0)
    for feature in schema.categoricals:
        own = np.flatnonzero(place == feature.name)
        codes = matrix[:, own[0]] if schema.missing_native else matrix[:, own].argmax(1)
        values, counts = np.unique(codes[~np.isnan(codes)], return_counts=True)
        most = values[counts.argmax()] if len(values) else np.nan
        typical[own] = most if schema.missing_native else np.arange(len(own)) == most
    return typical
