"""The rows of a fold, encoded by features that were learnt without its held rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.evidence.part import Part
from app.features.encoding import encode_table
from app.guards.tables import guarded_rows
from app.worker.fit.guarding import fit_guards
from app.worker.fit.job import Job
from app.worker.fit.out_of_fold import Known, encode
from app.worker.fit.search.folds import Fold

__all__ = ["Encodings", "FoldRows"]

Floats = NDArray[np.float64]

_KEPT_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True, eq=False)
class FoldRows:
    """What one fold's models learn from, and what they score.

    Parameters
    ----------
    known : Known
    held : ndarray of shape (n_held, n_encoded)
    guarded : ndarray of shape (n_held,), int8, or None
        Which guard rejects each held row; the guards saw the other rows alone.
    """

    known: Known
    held: Floats
    guarded: NDArray[np.int8] | None

    @property
    def size(self) -> int:
        """Return the bytes of the matrices."""
        return int(self.known.matrix.nbytes + self.held.nbytes)


class Encodings:
    """Encoded folds, kept for the next candidate while they are small."""

    def __init__(self, part: Part, folds: Sequence[Fold]) -> None:
        self._part, self._folds = part, folds
        self._kept: dict[tuple[bool, tuple[str, ...], int], FoldRows] = {}
        self._bytes = 0

    def of(self, job: Job, k: int) -> FoldRows:
        """Return the rows of fold ``k`` as the trainer of this job reads them."""
        key = job.builder.missing_native, job.columns, k
        if key in self._kept:
            return self._kept[key]
        rows = self._encode(job, self._folds[k])
        if self._bytes + rows.size <= _KEPT_BYTES:
            self._kept[key] = rows
            self._bytes += rows.size
        return rows

    def _encode(self, job: Job, fold: Fold) -> FoldRows:
        known = encode(job, self._part.only(fold.fits))
        table = job.table.take(self._part.rows[fold.scores])
        held = encode_table(known.features, table)
        guarded = guarded_rows(fit_guards(job, known), known.features, table, held)
        return FoldRows(known, held.matrix, guarded)
