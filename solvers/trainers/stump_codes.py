"""How finely a table is searched: every threshold, or histogram bins."""

from solvers.boosting.codes import Codes, exact_codes, histogram_codes
from solvers.trainers.boosting_rows import TrainingRows

__all__ = ["EXACT_ROWS", "make_codes"]

EXACT_ROWS = 20_000
"""Up to here ``max_bins="auto"`` searches every threshold."""


def make_codes(rows: TrainingRows, max_bins: int | str | None) -> Codes:
    """Return the rows' codes; ``max_bins`` as the boosters take it."""
    if max_bins is None or (max_bins == "auto" and len(rows.y) <= EXACT_ROWS):
        return exact_codes(rows.X)
    bins = 255 if max_bins == "auto" else int(max_bins)
    return histogram_codes(rows.X, rows.weight, bins)
