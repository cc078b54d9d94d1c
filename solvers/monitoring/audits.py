"""The error of a stratum from blind audits, true at every look.

n audited cases with k errors, drawn from the stratum with one probability. The mixture
of all bets on 0/1 losses with a Beta(1/2, 1/2) prior has the closed form

    log K(m) = log B(1/2 + k, 1/2 + n - k) - log B(1/2, 1/2)
               - k log m - (n - k) log(1 - m),

a martingale at the true error m; by Ville's inequality {m : K(m) < 1 / alpha} holds it
at all times at once with probability 1 - alpha (Waudby-Smith and Ramdas 2023, the
Bernoulli case; Robbins 1970).
"""

from math import log, log1p

__all__ = ["error_interval"]


def error_interval(
    n: int, errors: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Return an interval for the error that holds however often it is looked at.

    Parameters
    ----------
    n : int
        Audited cases; of none the interval is [0, 1].
    errors : int
        Those that were decided wrongly.
    confidence : float in (0, 1), default=0.95

    Returns
    -------
    low, high : float
    """
    from scipy.optimize import brentq  # noqa: PLC0415  # loaded when first looked at

    if not 0 <= errors <= n:
        msg = f"errors must lie between 0 and n = {n}, got {errors}"
        raise ValueError(msg)
    if not 0.0 < confidence < 1.0:
        msg = f"confidence must lie strictly between 0 and 1, got {confidence!r}"
        raise ValueError(msg)
    if n == 0:
        return 0.0, 1.0
    most = -log1p(-confidence)

    def excess(m: float) -> float:
        return _log_capital(n, errors, m) - most

    # K is convex in m and least at k / n, where it is below 1 / alpha.
    middle, edge = errors / n, 1e-12
    low = 0.0
    if errors and excess(edge) > 0.0:
        low = float(brentq(excess, edge, min(middle, 1.0 - edge)))
    high = 1.0
    if errors < n and excess(1.0 - edge) > 0.0:
        high = float(brentq(excess, max(middle, edge), 1.0 - edge))
    return low, high


def _log_capital(n: int, errors: int, m: float) -> float:
    from scipy.special import betaln  # noqa: PLC0415  # as above

    prior = float(betaln(0.5 + errors, 0.5 + n - errors) - betaln(0.5, 0.5))
    return prior - errors * log(m) - (n - errors) * log1p(-m)
