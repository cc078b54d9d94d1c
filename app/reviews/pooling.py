"""What a case is, by the machine and the people who looked at it.

A person who calls +1 and is c sure of it states q = c, one who calls -1 states 1 - c.
With pi the share of +1 among the verdicts on the model's cases, which is what a person
expects before looking, and p0 the machine's calibrated probability as the prior,

    logit p = logit p0 + sum over verdicts of (logit q - logit pi)

Who is certain (c = 1) outweighs any doubt; certain ones who contradict cancel out. The
answer is the cheaper of +1 and -1 at p.
"""

from collections.abc import Mapping, Sequence
from math import exp, log

__all__ = [
    "cheaper_answer",
    "pooled",
    "share_of_positive",
    "stated_probability",
    "weighs_share",
]

_LEAST = 1e-6
"""A machine's probability is held away from 0 and 1 by so much."""

_BEGIN = 10
"""Verdicts of either kind that the share of +1 begins with."""


def share_of_positive(positive: int, verdicts: int) -> float:
    """Return the share of +1 among verdicts; few tell little, so it begins at 1/2."""
    return (positive + _BEGIN) / (verdicts + 2 * _BEGIN)


def stated_probability(*, positive: bool, sure: float) -> float:
    """Return the probability of +1 that a verdict states."""
    return sure if positive else 1.0 - sure


def weighs_share(prior: float | None, statements: Sequence[float]) -> bool:
    """Tell whether the share of +1 has any part in ``pooled``."""
    certain = sum((q == 1) - (q == 0) for q in statements)
    doubted = any(0 < q < 1 for q in statements)
    return certain == 0 and (doubted or prior is None)


def pooled(prior: float | None, statements: Sequence[float], share: float) -> float:
    """Return the probability of +1 by all together.

    Parameters
    ----------
    prior : float or None
        The machine's; None stands for ``share``.
    statements : sequence of float
        Probabilities in [0, 1].
    share : float
        Share of +1 among verdicts, strictly between 0 and 1.
    """
    certain = sum((q == 1) - (q == 0) for q in statements)
    if certain:
        return float(certain > 0)
    held = share if prior is None else min(max(prior, _LEAST), 1 - _LEAST)
    doubted = [q for q in statements if 0 < q < 1]
    odds = _logit(held) + sum(_logit(q) - _logit(share) for q in doubted)
    return 1 / (1 + exp(-odds)) if odds >= 0 else exp(odds) / (1 + exp(odds))


def cheaper_answer(p: float, costs: Mapping[str, float] | None) -> bool:
    """Tell whether +1 costs no more than -1 at p; or, without costs, is likelier.

    Parameters
    ----------
    p : float
    costs : mapping or None
        With ``false_positive`` and ``false_negative``.
    """
    if costs is None:
        return p >= 0.5
    return (1 - p) * costs["false_positive"] <= p * costs["false_negative"]


def _logit(p: float) -> float:
    return log(p) - log(1 - p)
