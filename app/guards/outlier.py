"""The guard against rows that lie far from every row of training.

    rejected where  min_j |x - r_j| > threshold

over at most 1,000 reference rows r_j of the training part. The threshold is the 95 %
point of the distances of other training rows: the smallest that at least
``0.95 (k + 1)`` of ``k`` of them do not exceed, so about one in twenty rows that are
drawn like those of training is rejected too.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, floor, log10
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.features.feature import LARGEST_NUMBER
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.guards.nearest import NearestReference
from app.guards.space import Space

__all__ = ["MOST_REFERENCES", "SHARE", "OutlierGuard"]

Floats = NDArray[np.float64]

MOST_REFERENCES = 1000
SHARE = 0.95
"""The share of ordinary rows that pass."""

_MOST_NUMBERS = 4_000_000
"""Numbers of all references together, and of all rows that are measured: fewer of
either where rows are very wide."""

_MOST_MEASURED = 20_000
"""Rows whose distances set the threshold."""


class OutlierGuard:
    """Tell which rows are far from training.

    Parameters
    ----------
    space : Space
    references : ndarray of shape (n_references, n_columns)
        Comparable rows.
    threshold : float
    measured : int
        How many rows set the threshold.
    """

    def __init__(
        self, space: Space, references: Floats, threshold: float, measured: int
    ) -> None:
        self.space, self.references = space, references
        self.threshold, self.measured = threshold, measured
        self._nearest = NearestReference(references)

    @classmethod
    def fit(
        cls,
        features: FeatureSchema,
        matrix: Floats,
        groups: NDArray[np.int64] | None,
        seed: int,
    ) -> Self:
        """Draw the references and set the threshold.

        Parameters
        ----------
        features : FeatureSchema
        matrix : ndarray of shape (n_rows, n_encoded)
            Encoded training rows; at least two.
        groups : ndarray of int of shape (n_rows,) or None
            Rows that belong together: none of a reference's group sets the threshold.
        seed : int
        """
        space = Space.fit(features, matrix)
        width = len(space.place(matrix[:1])[0])
        most = max(_MOST_NUMBERS // width, 1)
        drawn = _drawn(len(matrix), groups, min(MOST_REFERENCES, most), seed)
        chosen, others = drawn[0], drawn[1][:most]
        guard = cls(space, space.place(matrix[chosen]), np.inf, len(others))
        distances = np.sort(guard.distances(matrix[others]))
        rank = min(ceil(SHARE * (len(distances) + 1)), len(distances))
        guard.threshold = float(distances[rank - 1])
        return guard

    def distances(self, X: Floats) -> Floats:
        """Return how far each encoded row is from its nearest reference."""
        return self._nearest.distances(self.space.place(X))

    def fired(self, X: Floats) -> NDArray[np.bool_]:
        """Tell which encoded rows are outliers."""
        return np.asarray(self.distances(X) > self.threshold)

    def reach(self, features: FeatureSchema, table: Table) -> FeatureSchema:
        """Return the features with limits beyond which a number is far outside.

            least = min - margin,    most = max + margin
            margin = max(max - min, threshold)    in the unit of distances

        No reference is as near to such a number as the threshold, whatever else the
        row holds: this guard rejects it. A column that never varied has no limits.

        Parameters
        ----------
        features : FeatureSchema
        table : Table
            The training rows.
        """
        limits = {}
        for j, feature in enumerate(features.numbers):
            values = table.columns[feature.name]
            unit = self.space.unit(features, j)
            if feature.type == "numeric" and unit and not np.isnan(values).all():
                low, high = (
                    min(max(float(end(values)), -LARGEST_NUMBER), LARGEST_NUMBER)
                    for end in (np.nanmin, np.nanmax)
                )
                margin = max(high - low, self.threshold * unit)
                limits[feature.name] = _outward(low - margin, high + margin, margin)
        return replace(
            features,
            features=tuple(
                replace(f, least=limits[f.name][0], most=limits[f.name][1])
                if f.name in limits
                else f
                for f in features.features
            ),
        )

    def facts(self) -> dict[str, Any]:
        """Return what is told of the guard."""
        return {
            "threshold": self.threshold,
            "references": len(self.references),
            "measured_rows": self.measured,
            "share": SHARE,
        }

    def payload(self) -> dict[str, Any]:
        """Return the guard as plain arrays."""
        return {
            **self.space.payload(),
            "references": self.references,
            "threshold": self.threshold,
            "measured_rows": self.measured,
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Rebuild the guard from `payload`."""
        return cls(
            Space.from_payload(payload),
            payload["references"],
            float(payload["threshold"]),
            int(payload["measured_rows"]),
        )


def _outward(least: float, most: float, margin: float) -> tuple[float, float]:
    """Return limits moved outward to two digits of their margin.

    So they do not tell the value of a single row.
    """
    step = 10.0 ** (floor(log10(margin)) - 1)
    low, high = floor(least / step) * step, ceil(most / step) * step
    return min(low, least), max(high, most)


def _drawn(
    n_rows: int, groups: NDArray[np.int64] | None, most: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which rows are references, and which set the threshold.

    Half of the rows may be references; with groups, the rows of half of the groups.
    """
    draw = np.random.default_rng(seed)
    order = draw.permutation(n_rows)
    half = n_rows // 2
    first, second = order[:half], order[half:]
    names = np.unique(order if groups is None else groups)
    if groups is not None and len(names) > 1:
        ours = draw.permutation(names)[: len(names) // 2]
        mine = np.isin(groups[order], ours)
        first, second = order[mine], order[~mine]
    if len(first) > most and groups is None:
        second = order[most:]
    return first[:most], second[:_MOST_MEASURED]
