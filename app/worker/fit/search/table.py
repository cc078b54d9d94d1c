"""What a search found: one row a candidate, ranked."""

from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from app.worker.fit.search.measure import Judgement, Measure

__all__ = ["Row", "Table", "figures"]

_NOTE = (
    "the best of several candidates looks better on the folds that chose it than it is:"
    " these figures are optimistic, the evaluation on held-out rows is not"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate.

    Parameters
    ----------
    number : int
        Its place among the candidates, from 0.
    trainer, rule : str
    params : dict
        The parameters that the search varied.
    seconds : float
        Time of its fits; what several candidates share counts for the first.
    mean, standard_error, reject_rate : float or None
        Over the decided folds.
    error : str or None
        Why it has no figures.
    """

    number: int
    trainer: str
    rule: str
    params: dict[str, Any]
    seconds: float
    mean: float | None = None
    standard_error: float | None = None
    reject_rate: float | None = None
    error: str | None = None


def figures(judgement: Judgement, measure: Measure) -> dict[str, Any]:
    """Return the members of a row that judged decisions fill."""
    mean, rejected = judgement.mean(measure), judgement.reject_rate
    if not isfinite(mean):
        name = measure.name.replace("_", " ")
        error = f"its {name} has no value: it rejects {rejected:.0%} of the rows"
        return {"reject_rate": rejected, "error": error}
    spread = judgement.standard_error(measure)
    return {"mean": mean, "standard_error": spread, "reject_rate": rejected}


@dataclass(slots=True, eq=False)
class Table:
    """The rows of all candidates."""

    measure: Measure
    folds: int
    rows: list[Row] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Append the row of the next candidate."""
        self.rows.append(row)

    @property
    def ranked(self) -> list[Row]:
        """Return the rows, best first; of equal ones the earlier; failed ones last."""

        def place(row: Row) -> tuple[bool, float, int]:
            mean = 0.0 if row.mean is None else self.measure.loss(row.mean)
            return row.mean is None, mean, row.number

        return sorted(self.rows, key=place)

    @property
    def best(self) -> int | None:
        """Return the winner's number, or None where all failed."""
        first = self.ranked[0]
        return None if first.mean is None else first.number

    def facts(self, *, by_time: bool) -> dict[str, Any]:
        """Return the table as JSON facts, best candidate first."""
        return {
            "measure": self.measure.name,
            "higher_is_better": self.measure.higher_is_better,
            "folds": self.folds,
            "folds_by": "time" if by_time else "chance",
            "candidates": len(self.rows),
            "failed": sum(row.mean is None for row in self.rows),
            "best": self.ranked[0].number + 1,
            "note": _NOTE,
            "table": [
                {
                    "rank": None if row.mean is None else rank,
                    "candidate": row.number + 1,
                    "trainer": row.trainer,
                    "rule": row.rule,
                    "params": row.params,
                    "mean": row.mean,
                    "standard_error": row.standard_error,
                    "reject_rate": row.reject_rate,
                    "seconds": round(row.seconds, 3),
                    "error": row.error,
                }
                for rank, row in enumerate(self.ranked, start=1)
            ],
        }

    def warnings(self) -> list[str]:
        """Return what the model's user should know of the search."""
        failed = [row for row in self.rows if row.mean is None]
        sentences = []
        if failed:
            sentences.append(
                f"{len(failed)} of {len(self.rows)} candidates of the search failed;"
                f" candidate {failed[0].number + 1}: {failed[0].error}"
            )
        return sentences
