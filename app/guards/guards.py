"""The guards of one model, and which of them rejects a row.

=================  ==========================================================
missing_value      any feature of the row is missing
unseen_category    a feature holds a category that training never saw
outlier            far from every reference row (``app.guards.outlier``)
=================  ==========================================================

The first that fires, in this order, is the reason. A guard reads one row at a time, so
its answer does not depend on the batch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.features.encoding import RowNote
from app.guards.outlier import OutlierGuard

__all__ = ["GUARDS", "Guards", "missing_rows", "reason_counts"]

GUARDS = ("missing_value", "unseen_category", "outlier")
"""By code, from 1; code 0: no guard fires."""

Bools = NDArray[np.bool_]
Codes = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Guards:
    """Which guards are on; all are off by default."""

    missing_value: bool = False
    unseen_category: bool = False
    outlier: OutlierGuard | None = None

    def __bool__(self) -> bool:
        """Tell whether any is on."""
        return self.missing_value or self.unseen_category or self.outlier is not None

    def fired(
        self,
        X: NDArray[np.float64],
        missing: Bools,
        notes: Mapping[int, Sequence[RowNote]],
    ) -> Codes:
        """Return which guard rejects each row, shape (n_rows,); 0 where none does.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_encoded)
        missing : ndarray of bool of shape (n_rows,)
            Which rows lack a value: `missing_rows`.
        notes : mapping of row index to RowNotes
            From the encoder: it names unseen categories.
        """
        codes = np.zeros(len(X), dtype=np.int8)
        if self.outlier is not None:
            codes[self.outlier.fired(X)] = 3
        if self.unseen_category:
            for row, said in notes.items():
                if any(note.kind == "unseen_category" for note in said):
                    codes[row] = 2
        if self.missing_value:
            codes[missing] = 1
        return codes

    def facts(self) -> dict[str, Any]:
        """Return what is told of each guard: null where it is off."""
        return {
            "missing_value": {} if self.missing_value else None,
            "unseen_category": {} if self.unseen_category else None,
            "outlier": None if self.outlier is None else self.outlier.facts(),
        }

    def payload(self) -> dict[str, Any]:
        """Return the guards that are on, as plain data."""
        outlier = self.outlier
        made: dict[str, Any] = {} if outlier is None else {"outlier": outlier.payload()}
        for name in ("missing_value", "unseen_category"):
            if getattr(self, name):
                made[name] = {}
        return made

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Rebuild the guards from `payload`."""
        outlier = payload.get("outlier")
        return cls(
            "missing_value" in payload,
            "unseen_category" in payload,
            None if outlier is None else OutlierGuard.from_payload(outlier),
        )


def missing_rows(
    numbers: NDArray[np.float64], categories: Sequence[Sequence[str | None]]
) -> Bools:
    """Return which rows lack a value.

    Parameters
    ----------
    numbers : ndarray of shape (n_rows, n_numbers)
        NaN is missing.
    categories : sequence of columns
        None is missing.
    """
    missing = np.isnan(numbers).any(axis=1)
    for column in categories:
        missing |= np.fromiter((v is None for v in column), np.bool_, len(column))
    return np.asarray(missing)


def reason_counts(codes: Codes) -> tuple[int, ...]:
    """Return how many rows each guard rejects, in the order of ``GUARDS``."""
    counted = np.bincount(codes, minlength=len(GUARDS) + 1)
    return tuple(counted[1:].tolist())
