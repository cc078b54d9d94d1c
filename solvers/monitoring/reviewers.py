"""How often people are right, from their verdicts, without knowing the truth.

With g_i the probability that case i is +1, given verdicts v_ij in {0, 1} of people who
are right on a share s+ of the true +1 and s- of the true -1 (Dawid and Skene 1979),

    g / (1 - g) = p_i / (1 - p_i)  prod_j (s+ / (1 - s-))^v ((1 - s+) / s-)^(1 - v)
    s+  = sum g v / sum g,      s- = sum (1 - g) (1 - v) / sum (1 - g),

until nothing changes; p_i is the machine's calibrated probability, which stands in for
a second opinion. That is right only where people had not seen it. Both shares have a
Beta(4, 1) prior, worth five verdicts. People err together on hard cases, so the shares
are optimistic: where late truth is known, ``known_skill`` is the check.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.metrics.mean_limits import binomial_interval

__all__ = ["Skill", "estimated_skill", "known_skill", "posterior"]

Floats = NDArray[np.float64]

_RIGHT, _PRIOR = 4.0, 5.0
_ROUNDS, _STILL, _NEAR = 500, 1e-7, 1e-4
_DRAWS = 60
_Z = 1.96
_LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class Skill:
    """How often people are right.

    Attributes
    ----------
    sensitivity, specificity : float
        Share of true +1 called +1 (s+), of true -1 called -1 (s-).
    sensitivity_interval, specificity_interval : (low, high)
        With 95 % confidence.
    positives, negatives : float
        How many verdicts speak of either, in expectation.
    """

    sensitivity: float
    specificity: float
    sensitivity_interval: tuple[float, float]
    specificity_interval: tuple[float, float]
    positives: float
    negatives: float


def posterior(
    verdicts: NDArray[np.int8], prior: Floats, sensitivity: float, specificity: float
) -> Floats:
    """Return the probability that each case is +1.

    Parameters
    ----------
    verdicts : ndarray of shape (n_cases, most_verdicts)
        +1, -1, or 0 where there is none.
    prior : ndarray of shape (n_cases,)
        Probability of +1 by the machine.
    sensitivity, specificity : float
    """
    up, down = (verdicts > 0).sum(axis=1), (verdicts < 0).sum(axis=1)
    return _posterior(up, down, prior, sensitivity, specificity)


def _posterior(
    up: Floats, down: Floats, prior: Floats, s: Floats | float, t: Floats | float
) -> Floats:
    p = np.clip(prior, _LEAST, 1.0 - _LEAST)
    odds = (
        np.log(p / (1.0 - p))
        + up * np.log(s / (1.0 - t))
        + down * np.log((1.0 - s) / t)
    )
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(odds, -700.0, 700.0))))


def estimated_skill(
    verdicts: NDArray[np.int8], prior: Floats, seed: int = 0
) -> Skill | None:
    """Return s+ and s- by verdicts and the machine's probabilities; None of no case.

    Parameters
    ----------
    verdicts : ndarray of shape (n_cases, most_verdicts)
        +1, -1, or 0 where there is none; each row has one at least.
    prior : ndarray of shape (n_cases,)
        Probability of +1 by the machine, which the people had not seen.
    seed : int
        Of the draws of cases that the intervals come from.
    """
    n = len(verdicts)
    if not n:
        return None
    up = (verdicts > 0).sum(axis=1).astype(np.float64)
    down = (verdicts < 0).sum(axis=1).astype(np.float64)
    s, t = _iterated(up, down, prior, np.ones((1, n)), _STILL)
    draw = np.random.default_rng(seed)
    weights = draw.multinomial(n, np.full(n, 1.0 / n), size=_DRAWS).astype(np.float64)
    drawn = _iterated(up, down, prior, weights, _NEAR)
    g = _posterior(up, down, prior, s[0], t[0])
    return Skill(
        sensitivity=float(s[0, 0]),
        specificity=float(t[0, 0]),
        sensitivity_interval=_interval(float(s[0, 0]), drawn[0]),
        specificity_interval=_interval(float(t[0, 0]), drawn[1]),
        positives=float(g @ (up + down)),
        negatives=float((1.0 - g) @ (up + down)),
    )


def _iterated(
    up: Floats, down: Floats, prior: Floats, weights: Floats, still: float
) -> tuple[Floats, Floats]:
    """Return s+ and s-, each of shape (n_draws, 1), for weights (n_draws, n_cases)."""
    s = np.full((len(weights), 1), _RIGHT / _PRIOR)
    t = s.copy()
    both = up + down
    for _ in range(_ROUNDS):
        g = _posterior(up, down, prior, s, t) * weights
        rest = weights - g
        new_s = (g @ up + _RIGHT) / (g @ both + _PRIOR)
        new_t = (rest @ down + _RIGHT) / (rest @ both + _PRIOR)
        moved = max(np.abs(new_s - s[:, 0]).max(), np.abs(new_t - t[:, 0]).max())
        s, t = new_s[:, None], new_t[:, None]
        if moved < still:
            break
    return s, t


def _interval(value: float, drawn: Floats) -> tuple[float, float]:
    """Return an interval on the scale of the log-odds, which keeps it inside (0, 1)."""
    odds = np.log(drawn / (1.0 - drawn))
    middle, spread = float(np.log(value / (1.0 - value))), float(odds.std())
    low, high = (1.0 / (1.0 + np.exp(-(middle + z * spread))) for z in (-_Z, _Z))
    return float(low), float(high)


def known_skill(called: NDArray[np.bool_], truth: NDArray[np.bool_]) -> Skill | None:
    """Return s+ and s- of verdicts whose truth is known; None of none.

    Parameters
    ----------
    called, truth : ndarray of shape (n_verdicts,)
        Whether the verdict was +1, and whether it turned out to be.
    """
    if not len(called):
        return None
    shares = []
    for rows, right in ((truth, called), (~truth, ~called)):
        n, k = int(rows.sum()), int((rows & right).sum())
        ends = binomial_interval(k, n, 0.025)
        shares.append((n, (k + _RIGHT) / (n + _PRIOR), ends))
    (positives, s, s_ends), (negatives, t, t_ends) = shares
    return Skill(s, t, s_ends, t_ends, float(positives), float(negatives))
