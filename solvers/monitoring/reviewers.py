"""How often people are right, from their verdicts, without knowing the truth.

With g_i the probability that case i is +1, given verdicts v_ij in {0, 1} of people who
are right on a share s+ of the true +1 and s- of the true -1 (Dawid and Skene 1979),

    g / (1 - g) = q_i / (1 - q_i)  prod_j (s+ / (1 - s-))^v ((1 - s+) / s-)^(1 - v)
    s+  = sum g v / sum g,      s- = sum (1 - g) (1 - v) / sum (1 - g),

until nothing changes; q_i comes from the machine's calibrated probability p_i, which
stands in for a second opinion. That is right only where people had not seen it. Both
shares have a Beta(4, 1) prior, worth five verdicts. People err together on hard cases,
so the shares are optimistic: where late truth is known, ``known_skill`` is the check.

Where the world has changed, the machine's probabilities are wrong, and people who
contradict a wrong machine are no worse for it. Cases with two opinions or more tell the
two apart; from twenty of them on, the machine is calibrated in the same iteration,

    logit q_i = offset + slope logit p_i,

by logistic regression on g (one step of Newton's method a round), with a normal prior
of standard deviation 1/2 around 0 and 1. Below that, q_i = p_i.
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
_SECOND_OPINIONS = 20
_PRECISION = 4.0
"""Of the normal prior of offset and slope."""


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
    machine_offset, machine_slope : float
        How the machine's log-odds are to be read: 0 and 1 where they hold.
    """

    sensitivity: float
    specificity: float
    sensitivity_interval: tuple[float, float]
    specificity_interval: tuple[float, float]
    positives: float
    negatives: float
    machine_offset: float = 0.0
    machine_slope: float = 1.0


@dataclass(frozen=True, slots=True)
class _Shares:
    """What is iterated, each of shape (n_draws, 1)."""

    s: Floats
    t: Floats
    offset: Floats
    slope: Floats


def posterior(verdicts: NDArray[np.int8], prior: Floats, skill: Skill) -> Floats:
    """Return the probability that each case is +1.

    Parameters
    ----------
    verdicts : ndarray of shape (n_cases, most_verdicts)
        +1, -1, or 0 where there is none.
    prior : ndarray of shape (n_cases,)
        Probability of +1 by the machine.
    skill : Skill
        As ``estimated_skill`` returned it.
    """
    up, down = _counted(verdicts)
    shares = _Shares(
        *(
            np.array([[one]])
            for one in (
                skill.sensitivity,
                skill.specificity,
                skill.machine_offset,
                skill.machine_slope,
            )
        )
    )
    return np.asarray(_posterior(up, down, _log_odds(prior), shares)[0])


def _counted(verdicts: NDArray[np.int8]) -> tuple[Floats, Floats]:
    up = (verdicts > 0).sum(axis=1).astype(np.float64)
    return up, (verdicts < 0).sum(axis=1).astype(np.float64)


def _log_odds(prior: Floats) -> Floats:
    p = np.clip(prior, _LEAST, 1.0 - _LEAST)
    return np.asarray(np.log(p / (1.0 - p)))


def _posterior(up: Floats, down: Floats, machine: Floats, at: _Shares) -> Floats:
    """Return probabilities of shape (n_draws, n_cases)."""
    return _sigmoid(
        at.offset
        + at.slope * machine
        + up * np.log(at.s / (1.0 - at.t))
        + down * np.log((1.0 - at.s) / at.t)
    )


def _sigmoid(odds: Floats) -> Floats:
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
    up, down = _counted(verdicts)
    machine = _log_odds(prior)
    begin = _Shares(*(np.array([[x]]) for x in (_RIGHT / _PRIOR,) * 2 + (0.0, 1.0)))
    found = _iterated(up, down, machine, np.ones((1, n)), _STILL, begin)
    draw = np.random.default_rng(seed)
    weights = draw.multinomial(n, np.full(n, 1.0 / n), size=_DRAWS).astype(np.float64)
    drawn = _iterated(up, down, machine, weights, _NEAR, found)
    g = _posterior(up, down, machine, found)[0]
    s, t = float(found.s[0, 0]), float(found.t[0, 0])
    return Skill(
        sensitivity=s,
        specificity=t,
        sensitivity_interval=_interval(s, drawn.s),
        specificity_interval=_interval(t, drawn.t),
        positives=float(g @ (up + down)),
        negatives=float((1.0 - g) @ (up + down)),
        machine_offset=float(found.offset[0, 0]),
        machine_slope=float(found.slope[0, 0]),
    )


def _iterated(
    up: Floats,
    down: Floats,
    machine: Floats,
    weights: Floats,
    still: float,
    at: _Shares,
) -> _Shares:
    """Return the fixed point for each row of weights, (n_draws, n_cases)."""
    both = up + down
    calibrates = (both >= 2).sum() >= _SECOND_OPINIONS
    for _ in range(_ROUNDS):
        g = _posterior(up, down, machine, at) * weights
        rest = weights - g
        s = (g @ up + _RIGHT) / (g @ both + _PRIOR)
        t = (rest @ down + _RIGHT) / (rest @ both + _PRIOR)
        offset, slope = at.offset, at.slope
        if calibrates:
            offset, slope = _stepped(g, machine, weights, at)
        before, at = at, _Shares(s[:, None], t[:, None], offset, slope)
        if _moved(before, at) < still:
            break
    return at


def _stepped(
    g: Floats, machine: Floats, weights: Floats, at: _Shares
) -> tuple[Floats, Floats]:
    """Return offset and slope after one step of Newton's method towards ``g``."""
    q = _sigmoid(at.offset + at.slope * machine)
    short, curved = g - weights * q, weights * q * (1.0 - q)
    up_offset = short.sum(axis=1) - _PRECISION * at.offset[:, 0]
    up_slope = short @ machine - _PRECISION * (at.slope[:, 0] - 1.0)
    of_offset = curved.sum(axis=1) + _PRECISION
    mixed = curved @ machine
    of_slope = curved @ machine**2 + _PRECISION
    size = of_offset * of_slope - mixed**2
    offset = (of_slope * up_offset - mixed * up_slope) / size
    slope = (of_offset * up_slope - mixed * up_offset) / size
    return at.offset + offset[:, None], at.slope + slope[:, None]


def _moved(before: _Shares, after: _Shares) -> float:
    return max(
        float(np.abs(getattr(after, name) - getattr(before, name)).max())
        for name in _Shares.__slots__
    )


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
