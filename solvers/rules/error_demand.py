"""What "at most this error" means, as a test on counts.

=========  ========================================  =====================
``by``     trials                                    errors
=========  ========================================  =====================
all        decided rows                              decided wrongly
decision   rows called +1; rows called -1            of the other class
label      decided true +1; decided true -1          decided wrongly
=========  ========================================  =====================

Given the thresholds, the errors among the trials are binomial with the rate that the
demand limits. A demand of two parts is met when both are, so its p-value is the larger
of the two, with no correction between them. A decision that a pair never makes breaks
nothing.

Where labels are probabilities p, a row is one row: its loss is its expected error, and
the demand "E[errors] <= E E[trials]" is one on a mean of losses in [0, 1],

    loss = error + E (1 - trial)   of a decided row   (of a called one, by decision),

tested by ``tails.mean_loss_tail``.

``more_rows`` estimates how many more labelled rows a promise takes. The rows are drawn
anew, with replacement, and each time it is foreseen how many rows the most promising
pair of thresholds would need. Nine draws of ten lie in the range that is returned. No
range is returned that is wider than a factor of ten: an estimate of the tail of an
error from few rows can be wrong by any factor.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log10
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from solvers.rules.base import as_number
from solvers.rules.certified_search import (
    PairCounts,
    Pairs,
    Split,
    foreseen_counts,
    pairs_of,
)
from solvers.rules.tails import (
    binomial_tail,
    chernoff_rows,
    mean_loss_tail,
    rows_to_certify,
)

__all__ = ["ErrorDemand", "demand_of", "more_rows"]

Floats = NDArray[np.float64]
By = Literal["all", "decision", "label"]


@dataclass(frozen=True, slots=True)
class ErrorDemand:
    """A limit on the error of each group of decided rows.

    Attributes
    ----------
    by : {"all", "decision", "label"}
    limits : dict
        Group ("all", or "+1" and "-1") to the largest error rate.
    certain : bool
        Whether every row has a label, not a probability.
    """

    by: By
    limits: dict[str, float]
    certain: bool = True

    def p_values(self, pairs: Pairs, counts: PairCounts) -> Floats:
        """Return the p-value of "the demand is broken" for each candidate."""
        doubts = []
        for group, limit in self.limits.items():
            errors, trials = self.group(counts, group)
            if self.certain:
                doubt = binomial_tail(errors, trials, limit)
            else:
                rows = trials if self.by == "decision" else counts.decided
                rows = np.round(rows)
                losses = errors + limit * np.maximum(rows - trials, 0.0)
                doubt = mean_loss_tail(losses / np.maximum(rows, 1.0), rows, limit)
            doubts.append(np.where(self.never(pairs, group), 0.0, doubt))
        return np.asarray(np.maximum.reduce(doubts))

    def group(self, counts: PairCounts, group: str) -> tuple[Floats, Floats]:
        """Return errors and trials of one group."""
        wrong = counts.false_positive + counts.false_negative
        if self.by == "all":
            return wrong, counts.decided
        if self.by == "decision":
            if group == "+1":
                right, wrong = counts.true_positive, counts.false_positive
            else:
                right, wrong = counts.true_negative, counts.false_negative
        elif group == "+1":
            right, wrong = counts.true_positive, counts.false_negative
        else:
            right, wrong = counts.true_negative, counts.false_positive
        return wrong, right + wrong

    def counted(self, counts: PairCounts, group: str) -> tuple[float, float]:
        """Return errors and trials of one group, as the only candidate decides.

        Whole numbers; of labels that are probabilities, sums rounded to three digits.
        """
        errors, trials = (float(part[0]) for part in self.group(counts, group))
        return _rounded(errors), _rounded(trials)

    def scaled(self, factor: float) -> "ErrorDemand":
        """Return the demand with every limit multiplied (below 1)."""
        return ErrorDemand(
            self.by,
            {g: min(limit * factor, 1.0 - 1e-9) for g, limit in self.limits.items()},
            self.certain,
        )

    def rows_needed(self, pairs: Pairs, counts: PairCounts, delta: float) -> float:
        """Return about how many testing rows the most promising candidate needs.

        Infinite where no candidate's expected error is below its limit.
        """
        needed = np.zeros(len(pairs.lower))
        for group, limit in self.limits.items():
            rate, share = self._rate_and_share(counts, group)
            rows = chernoff_rows(rate, limit, delta) / share
            needed = np.where(
                self.never(pairs, group), needed, np.maximum(needed, rows)
            )
        best = int(np.argmin(needed))
        exact = 0.0
        for group, limit in self.limits.items():
            if not self.never(pairs, group)[best]:
                rate, share = self._rate_and_share(counts, group)
                trials = rows_to_certify(float(rate[best]), limit, delta)
                exact = max(exact, trials / float(share[best]))
        return exact

    def _rate_and_share(self, counts: PairCounts, group: str) -> tuple[Floats, Floats]:
        """Return the error rate of a group, and its share of all rows."""
        errors, trials = self.group(counts, group)
        # Half an error more: no rate is known to be zero.
        rate = (errors + 0.5) / (trials + 1.0)
        return rate, np.maximum(trials, 1e-9) / counts.rows

    def sentence(self) -> str:
        """Return the limits in words."""
        shares = {group: f"{100 * limit:.4g} %" for group, limit in self.limits.items()}
        if self.by == "all":
            return f"at most {shares['all']} of the decided cases are decided wrongly"
        if self.by == "decision":
            return (
                f"at most {shares['+1']} of the cases called +1 are not, and at most"
                f" {shares['-1']} of the cases called -1 are not"
            )
        return (
            f"at most {shares['+1']} of the decided true +1 are called -1, and at most"
            f" {shares['-1']} of the decided true -1 are called +1"
        )

    def never(self, pairs: Pairs, group: str) -> NDArray[np.bool_]:
        """Tell which candidates cannot make the group's error at all."""
        no_plus, no_minus = np.isposinf(pairs.upper), np.isneginf(pairs.lower)
        if self.by == "all":
            return np.zeros(len(pairs.lower), dtype=bool)
        plus_is_error = (group == "+1") == (self.by == "decision")
        return no_plus if plus_is_error else no_minus


def _rounded(rows: float) -> int | float:
    return int(rows) if rows.is_integer() else round(rows, 3)


def demand_of(
    max_error: float | Mapping[str, float], by: str, *, certain: bool = True
) -> ErrorDemand:
    """Return the checked demand.

    Raises
    ------
    ValueError
        On another ``by``, limits outside (0, 1), or limits by label where there is
        one group.
    """
    if by not in {"all", "decision", "label"}:
        msg = f"by must be all, decision or label, got {by!r}"
        raise ValueError(msg)
    groups = ("all",) if by == "all" else ("+1", "-1")
    if isinstance(max_error, Mapping):
        if by == "all" or set(max_error) != set(groups):
            msg = (
                'max_error is a number, or {"+1": .., "-1": ..} with by="decision" or'
                f' by="label"; got {dict(max_error)} with by={by!r}'
            )
            raise ValueError(msg)
        limits = {group: as_number("max_error", max_error[group]) for group in groups}
    else:
        limits = dict.fromkeys(groups, as_number("max_error", max_error))
    if not all(0.0 < limit < 1.0 for limit in limits.values()):
        msg = f"max_error must lie strictly between 0 and 1, got {max_error!r}"
        raise ValueError(msg)
    return ErrorDemand(by, limits, certain)  # type: ignore[arg-type]


_DRAWS = 40
_WIDEST = 10.0


def more_rows(
    demand: ErrorDemand, split: Split, delta: float
) -> tuple[int, int] | None:
    """Return about between how many and how many more rows are needed, or None.

    Of groups, as many groups: each counts as one row. One group alone tells nothing.
    """
    if not len(split.testing[0]):
        return None
    scores, share = (
        np.concatenate(both)
        for both in zip(split.selection, split.testing, strict=True)
    )
    pairs = pairs_of(scores, share)
    counted = len(split.testing[0]) / split.units
    random = np.random.default_rng(len(scores))
    needed = []
    for _ in range(_DRAWS):
        drawn = random.integers(len(scores), size=len(scores))
        foreseen = foreseen_counts(pairs, scores[drawn], share[drawn], len(scores))
        needed.append(demand.rows_needed(pairs, foreseen, delta) / counted)
    low, high = np.quantile(needed, [0.05, 0.95], method="nearest")
    if not high <= _WIDEST * low < np.inf:
        return None
    found = [_about(max(end - split.units, 1.0)) for end in (low, high)]
    return found[0], found[1]


def _about(rows: float) -> int:
    """Return rows rounded up to two digits."""
    unit = 10 ** max(int(log10(rows)) - 1, 0)
    return int(ceil(rows / unit) * unit)
