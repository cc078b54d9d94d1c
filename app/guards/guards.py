"""The guards of one model, and which of them rejects a row.

=================  ==========================================================
missing_value      "unseen": a feature is missing that training always had;
                   "any": any feature is missing
unseen_category    a feature holds a category that training never saw
outlier            far from every reference row (``app.guards.outlier``)
=================  ==========================================================

The first that fires, in this order, is the reason. A guard reads one row at a time, so
its answer does not depend on the batch. Before all of them comes ``missing_price``:
where prices follow columns of the row, nothing is decided without them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from app.features.encoding import RowNote
from app.guards.outlier import OutlierGuard

__all__ = [
    "CAUSES",
    "GUARDS",
    "NO_PRICE",
    "Guards",
    "Which",
    "missing_rows",
    "reason_counts",
]

GUARDS = ("missing_value", "unseen_category", "outlier")
"""By code, from 1; code 0: no guard fires."""

CAUSES = (*GUARDS, "missing_price")
"""Whatever rejects a row before the rule, by code from 1."""
NO_PRICE = len(CAUSES)

Bools = NDArray[np.bool_]
Codes = NDArray[np.int8]
Which = Literal["unseen", "any"]


@dataclass(frozen=True, slots=True, eq=False)
class Guards:
    """Which guards are on."""

    missing_value: Which | None = None
    unseen_category: bool = False
    outlier: OutlierGuard | None = None

    def __bool__(self) -> bool:
        """Tell whether any is on."""
        return bool(self.missing_value or self.unseen_category or self.outlier)

    def fired(
        self,
        X: NDArray[np.float64],
        notes: Mapping[int, Sequence[RowNote]],
        missing: Callable[[], Bools],
    ) -> Codes | None:
        """Return which guard rejects each row, shape (n_rows,), 0 where none does.

        None where none can: no guard that looks at every row is on, and the encoder
        had nothing to say.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_encoded)
        notes : mapping of row index to RowNotes
            From the encoder: it names unseen categories, and values that are missing
            where training had none.
        missing : callable
            Gives which rows lack a value, shape (n_rows,): `missing_rows`.
        """
        if self.outlier is None and self.missing_value != "any" and not notes:
            return None
        codes = np.zeros(len(X), dtype=np.int8)
        if self.outlier is not None:
            codes[self.outlier.fired(X)] = 3
        for row, of_row in notes.items():
            kinds = {note.kind for note in of_row}
            if self.unseen_category and "unseen_category" in kinds:
                codes[row] = 2
            if self.missing_value and "missing_value" in kinds:
                codes[row] = 1
        if self.missing_value == "any":
            codes[missing()] = 1
        return codes

    def facts(self) -> dict[str, Any]:
        """Return what is told of each guard: null where it is off."""
        return {
            "missing_value": self._which(),
            "unseen_category": {} if self.unseen_category else None,
            "outlier": None if self.outlier is None else self.outlier.facts(),
        }

    def payload(self) -> dict[str, Any]:
        """Return the guards that are on, as plain data."""
        outlier = self.outlier
        made: dict[str, Any] = {} if outlier is None else {"outlier": outlier.payload()}
        if self.missing_value:
            made["missing_value"] = self._which()
        if self.unseen_category:
            made["unseen_category"] = {}
        return made

    def _which(self) -> dict[str, str] | None:
        return {"which": self.missing_value} if self.missing_value else None

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Rebuild the guards from `payload`; format 1 had "any" alone."""
        outlier, missing = payload.get("outlier"), payload.get("missing_value")
        return cls(
            None if missing is None else missing.get("which", "any"),
            "unseen_category" in payload,
            None if outlier is None else OutlierGuard.from_payload(outlier),
        )


def missing_rows(
    numbers: NDArray[np.float64], categories: Sequence[Sequence[object]]
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
    """Return how many rows each rejects, in the order of ``CAUSES``."""
    counted = np.bincount(codes, minlength=len(CAUSES) + 1)
    return tuple(counted[1:].tolist())
