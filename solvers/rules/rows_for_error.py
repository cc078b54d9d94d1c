"""How many labelled rows a promise on an error will take, before any are there.

A band whose true error is p, below the limit E, keeps the promise on n decided rows
when

    K <= e(n),   K ~ Bin(n, p),   e(n) = max { e : P( Bin(n, E) <= e ) <= delta }.

Both tails are exact. As n grows, the chance of that falls with each further row
and rises where e(n) steps up, so the n of those steps are the ones looked at: each of
the first ``_EACH``, beyond them by halving, since the peaks rise.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.rules.base import as_number
from solvers.rules.tails import as_confidence, binomial_tail

__all__ = ["MOST_ROWS", "rows_for_error"]

Floats = NDArray[np.float64]

MOST_ROWS = 10**8
"""More rows than this are told as none."""
_EACH = 2048


def rows_for_error(
    max_error: float,
    expected_error: float,
    confidence: float = 0.95,
    chance: float = 0.5,
) -> int | None:
    """Return the fewest decided rows on which a promise is kept with some chance.

    Parameters
    ----------
    max_error : float in (0, 1)
        The limit that is to be promised.
    expected_error : float in [0, max_error)
        The true error of the band.
    confidence : float in (0, 1), default=0.95
        How sure the promise is.
    chance : float in (0, 1), default=0.5
        Of drawing rows on which it passes.

    Returns
    -------
    int or None
        None where it takes more than `MOST_ROWS`.

    Raises
    ------
    ValueError
        On numbers outside of their ranges.
    """
    limit, rate = _as_rates(max_error, expected_error)
    delta = 1.0 - as_confidence(confidence)
    if not 0.0 < as_number("chance", chance) < 1.0:
        msg = f"chance must lie strictly between 0 and 1, got {chance!r}"
        raise ValueError(msg)

    def passing(errors: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        rows = _fewest(errors, limit, delta)
        known = np.minimum(rows, MOST_ROWS)
        likely = binomial_tail(errors, known, rate) >= chance
        return rows, (rows <= MOST_ROWS) & likely

    rows, passes = passing(np.arange(_EACH, dtype=np.float64))
    if passes.any():
        return int(rows[int(np.argmax(passes))])
    low, high = _EACH - 1.0, 2.0 * _EACH
    while not passing(np.array([high]))[1][0]:
        low, high = high, 2.0 * high
        if low > limit * MOST_ROWS:
            return None
    while high - low > 1.0:
        middle = np.floor((low + high) / 2.0)
        fits = passing(np.array([middle]))[1][0]
        low, high = (low, middle) if fits else (middle, high)
    return int(_fewest(np.array([high]), limit, delta)[0])


def _fewest(errors: Floats, limit: float, delta: float) -> Floats:
    """Return for each count of errors the fewest rows on which it passes.

    Infinite where those are more than `MOST_ROWS`.
    """
    low = errors.copy()  # of as many rows as errors every count passes nowhere
    high = np.full(len(errors), float(MOST_ROWS))
    never = binomial_tail(errors, high, limit) > delta
    while (high - low > 1.0).any():
        middle = np.floor((low + high) / 2.0)
        passes = binomial_tail(errors, middle, limit) <= delta
        low, high = np.where(passes, low, middle), np.where(passes, middle, high)
    return np.where(never, np.inf, high)


def _as_rates(max_error: float, expected_error: float) -> tuple[float, float]:
    limit = as_number("max_error", max_error)
    rate = as_number("expected_error", expected_error)
    if not 0.0 < limit < 1.0:
        msg = f"max_error must lie strictly between 0 and 1, got {max_error!r}"
        raise ValueError(msg)
    if not 0.0 <= rate < limit:
        msg = (
            "expected_error must lie between 0 and max_error, and below it: no number"
            f" of rows shows what is not so; got {expected_error!r}"
        )
        raise ValueError(msg)
    return limit, rate
