"""From marks to the training set of the last machine.

"remove" drops rejected and misclassified rows alike; "flip" gives a misclassified row
the label that the first stage gives it, and drops the rejected ones, for which the
first stage has no label. Either way the first stage separates what is left.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.reduction.methods import Marks

__all__ = ["RowChanges", "apply_changes"]


@dataclass(frozen=True, slots=True, eq=False)
class RowChanges:
    """The training set of the last machine, in terms of the first one's.

    Parameters
    ----------
    kept : array of int
        Indices of the rows that stay.
    signs : array of shape (n_kept,), values -1 and +1
        Their labels, flipped where they were.
    removed, flipped : int
        How many rows went, and how many changed sides.
    """

    kept: NDArray[np.int64]
    signs: NDArray[np.float64]
    removed: int
    flipped: int

    @property
    def one_class(self) -> bool:
        """Tell whether nothing is left to separate."""
        return len(np.unique(self.signs)) < 2


def apply_changes(marks: Marks, signs: NDArray[np.float64], removal: str) -> RowChanges:
    """Return the changed training set.

    Parameters
    ----------
    marks : Marks
    signs : array of shape (n_rows,), values -1 and +1
    removal : {"remove", "flip"}
    """
    gone = marks.rejected if removal == "flip" else marks.rejected | marks.wrong
    kept = np.flatnonzero(~gone)
    labels = np.where(marks.wrong, -signs, signs)[kept]
    flipped = int(np.count_nonzero(marks.wrong[kept]))
    return RowChanges(kept, labels, len(signs) - len(kept), flipped)
