"""What the rules whose limit holds with confidence have in common.

Some of the rows choose the thresholds, the others test them (see ``certified_search``).
What is promised holds for the scorer that made the scores, on rows like those that the
rule is fitted on, which that scorer must never have seen.
"""

from abc import abstractmethod
from typing import Any, Self

from numpy.typing import ArrayLike

from solvers.metrics.inputs import as_groups
from solvers.rules.base import Bools, Floats, LearnedRule
from solvers.rules.certified_search import SELECTION_SHARE, Sample, split_rows
from solvers.rules.inputs import shares_of
from solvers.rules.tails import as_confidence

__all__ = ["CertifiedRule"]


class CertifiedRule(LearnedRule):
    """A rule whose limit holds with a given confidence.

    Attributes
    ----------
    rows_, counted_rows_ : int
        How many rows were given, and how many of them tested the thresholds.
    groups_ : int or None
        How many groups were counted, where groups were given.
    """

    confidence: float | None

    def fit(
        self,
        scores: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        keys: ArrayLike | None = None,
    ) -> Self:
        """Choose the thresholds, and certify them where there is a confidence.

        Parameters
        ----------
        scores : array-like of shape (n_rows,)
        y : array-like of shape (n_rows,)
            Labels -1 and +1; with a confidence also probabilities of +1.
        sample_weight : array-like of shape (n_rows,), optional
            Refused with a confidence: a count of rows cannot be weighted.
        groups : array-like of shape (n_rows,), optional
            Rows of one group were drawn together. The promise then counts groups, by
            one drawn row of each, and speaks of a row of a group drawn like them.
        keys : array-like of shape (n_rows,), optional
            What tells rows apart (see ``drawing.row_keys``). Which rows select and
            which count follows from them; from scores and labels without.

        Raises
        ------
        ValueError
            With a confidence and weights.
        """
        if self.confidence is None:
            return super().fit(scores, y, sample_weight)
        if sample_weight is not None:
            counts = "counts rows: it" if self.promises else "with a confidence"
            msg = f"{self.kind} {counts} takes no sample_weight"
            raise ValueError(msg)
        delta = 1.0 - as_confidence(self.confidence)
        values, share = shares_of(scores, y)
        group_of = as_groups(groups, len(values))
        split = split_rows(values, share, group_of, keys, self._selection_share())
        self.rows_, self.counted_rows_ = len(values), len(split.testing[0])
        self.groups_ = None if group_of is None else split.units
        self._certify(Sample(values, share, split), delta)
        return self

    def _learn(self, scores: Floats, positive: Bools, weights: Floats | None) -> None:
        """Set the band without a confidence, where a rule can do without one."""
        del scores, positive, weights
        msg = f"{self.kind} needs a confidence, a number between 0 and 1"
        raise ValueError(msg)

    @abstractmethod
    def _certify(self, sample: Sample, delta: float) -> None:
        """Set the band, which breaks the limit with probability at most delta."""

    def _selection_share(self) -> float:
        """Return the share of the rows (groups) that choose the thresholds."""
        return SELECTION_SHARE

    def _sample_facts(self) -> dict[str, Any]:
        """Return how sure the promise is, and how many rows it rests on."""
        return {
            "confidence": as_confidence(self.confidence),
            "rows": self.rows_,
            "counted_rows": self.counted_rows_,
            "groups": self.groups_,
        }

    def _too_few(self) -> str:
        """Return the beginning of what is said where nothing can be promised."""
        rows = self.groups_ or self.rows_
        return f"not promised: these {rows} {self._units()} cannot back that"

    def _units(self) -> str:
        return "rows" if self.groups_ is None else "groups"

    def _scope(self) -> str:
        """Return on which rows a promise rests, and for which cases it holds."""
        counted = self.counted_rows_
        if self.groups_ is None:
            return (
                f"chosen on {self.rows_ - counted} rows and counted on {counted} others"
                " that the scorer never saw; it holds for cases drawn like them"
            )
        return (
            f"chosen on {self.groups_ - counted} groups and counted on one drawn row of"
            f" each of {counted} others that the scorer never saw; it holds for a case"
            " of a group drawn like them, every group counting once"
        )
