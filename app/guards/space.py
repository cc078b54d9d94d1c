"""The space in which rows are near or far: the encoded one, made comparable.

Numbers in standard deviations of the training rows, each category a column of 0 or 1.
Most encodings are that already; where a model reads missing values itself (trees),
numbers come in their own units, with NaN, and categories as codes: there a number is
centred and scaled here, a missing one stands at the mean, and a code that is missing or
was never seen is none of the categories. A column that never varied measures nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.features.feature import SPREAD
from app.features.schema import FeatureSchema

__all__ = ["Space"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """A map from encoded rows to comparable ones.

    Parameters
    ----------
    center, inverse_scale : ndarray of shape (n_numbers,)
        Of the leading columns, which hold numbers.
    categories : ndarray of int of shape (n_codes,)
        How many categories each of the other columns has.
    """

    center: Floats
    inverse_scale: Floats
    categories: NDArray[np.int64]

    @classmethod
    def fit(cls, features: FeatureSchema, matrix: Floats) -> Self:
        """Return the space of encoded training rows."""
        n_codes = len(features.categoricals) if features.missing_native else 0
        k = matrix.shape[1] - n_codes
        counts = [len(feature.categories) for feature in features.categoricals]
        categories = np.asarray(counts[:n_codes], dtype=np.int64)
        if not features.missing_native:
            return cls(np.zeros(k), np.ones(k), categories)
        known = ~np.isnan(matrix[:, :k])
        rows = np.maximum(known.sum(axis=0), 1)
        center = np.where(known, matrix[:, :k], 0.0).sum(axis=0) / rows
        away = np.where(known, matrix[:, :k] - center, 0.0)
        scale = np.sqrt((away * away).sum(axis=0) / rows)
        # Rounding leaves a constant column a scale of its own.
        varies = scale > 1e-12 * np.abs(center)
        inverse = np.where(varies, 1.0 / np.where(varies, scale, 1.0), 0.0)
        return cls(center, inverse, categories)

    def place(self, X: Floats) -> Floats:
        """Return comparable rows.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_encoded)

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            Finite; the bits of a row depend on that row alone.
        """
        k = len(self.center)
        numbers = np.where(np.isnan(X[:, :k]), self.center, X[:, :k])
        numbers = (numbers - self.center) * self.inverse_scale
        numbers = np.clip(numbers, -SPREAD, SPREAD)
        if not len(self.categories):
            return np.asarray(numbers)
        one_of = [
            X[:, k + j, None] == np.arange(count)
            for j, count in enumerate(self.categories)
        ]
        return np.concatenate((numbers, *one_of), axis=1)

    def unit(self, features: FeatureSchema, j: int) -> float:
        """Return what is one away in the j-th number; 0 where it measures nothing."""
        if not features.missing_native:
            return features.numbers[j].scale
        inverse = float(self.inverse_scale[j])
        return 1.0 / inverse if inverse else 0.0

    def payload(self) -> dict[str, Any]:
        """Return the map as plain arrays."""
        return {
            "center": self.center,
            "inverse_scale": self.inverse_scale,
            "categories": self.categories,
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Rebuild the map from `payload`."""
        return cls(payload["center"], payload["inverse_scale"], payload["categories"])
