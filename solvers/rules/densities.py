"""Parzen-window densities of the scores of both classes.

    phi(z) = sum_m c_m k((z - g_m) / s) / s,     k the standard normal density

The scores are first spread over an even grid ``g`` (linear binning: each score shares
its weight between its two neighbours). The sum over the grid is then exact calculus:
``phi``, its derivative ``psi`` and its integral belong together, which the Newton
iterations rely on. On the whole grid at once the sum is a convolution, done by FFT.

The width s of each class is Silverman's, 0.9 min(sd, IQR / 1.34) n^(-1/5), but never
below the grid's step. Sources: Parzen (1962); Silverman (1986), section 3.5.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ClassDensity", "ScoreDensities", "estimate_densities"]

Floats = NDArray[np.float64]

_STEPS = 4096
_MOST_STEPS = 1 << 17
# Steps per window width; below, the binning would be seen in the density.
_STEPS_PER_WIDTH = 8.0
# A normal window ends here for all that float64 can tell of a density.
_REACH = 8.0
# Squares and cubes of a width have to be numbers.
_LARGEST = 1e100


@dataclass(frozen=True, slots=True, eq=False)
class ClassDensity:
    """The joint density of score and class: its integral is the class's share.

    Attributes
    ----------
    points : ndarray of shape (m,)
        Grid points that carry mass.
    mass : ndarray of shape (m,)
    width : float
        The window's standard deviation.
    """

    points: Floats
    mass: Floats
    width: float

    def below(self, z: float) -> float:
        """Return the mass below z (accurate in the tail)."""
        return self._cumulated((z - self.points) / self.width)

    def above(self, z: float) -> float:
        """Return the mass above z (accurate in the tail)."""
        return self._cumulated((self.points - z) / self.width)

    def at(self, z: float) -> tuple[float, float]:
        """Return the density at z and its derivative."""
        u = (z - self.points) / self.width
        kernel = self.mass * np.exp(-0.5 * u * u) / (self.width * np.sqrt(2.0 * np.pi))
        return float(kernel.sum()), float(-(kernel @ u) / self.width)

    def _cumulated(self, u: Floats) -> float:
        # Fitting happens in the worker; a process that only decides loads no scipy.
        from scipy.special import ndtr  # noqa: PLC0415

        return float(self.mass @ ndtr(u))


@dataclass(frozen=True, slots=True, eq=False)
class ScoreDensities:
    """Both classes on one grid.

    Attributes
    ----------
    positive, negative : ClassDensity
        The two masses add up to one.
    grid : ndarray of shape (g,)
        Even, and wide enough for both densities to have vanished at its ends.
    on_grid_positive, on_grid_negative : ndarray of shape (g,)
        The joint densities there.
    """

    positive: ClassDensity
    negative: ClassDensity
    grid: Floats
    on_grid_positive: Floats
    on_grid_negative: Floats

    @property
    def prior(self) -> float:
        """Return the share of +1."""
        return float(self.positive.mass.sum())

    @property
    def step(self) -> float:
        """Return the distance of neighbouring grid points."""
        return float(self.grid[1] - self.grid[0])

    def odds_of_negative(self, z: float) -> float:
        """Return P(-1) phi_N(z) / (P(+1) phi_P(z)); infinite where phi_P vanishes."""
        positive, negative = self.positive.at(z)[0], self.negative.at(z)[0]
        return negative / positive if positive > 0.0 else np.inf


def estimate_densities(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats | None = None
) -> ScoreDensities:
    """Return the Parzen densities of checked scores (see ``rules.inputs``).

    Where a few scores lie so far out that no grid would resolve the others, they are
    drawn in: their mass is kept, only the far tail of the density moves.

    Raises
    ------
    ValueError
        Where the spread of the scores is beyond 1e100 or below 1e-100.
    """
    scores = _drawn_in(scores)
    low, high = float(scores.min()), float(scores.max())
    span = high - low if high > low else max(abs(low), 1.0)
    if not 1.0 / _LARGEST < span < _LARGEST:
        msg = f"scores spread over {span:g} cannot be smoothed: scale them nearer to 1"
        raise ValueError(msg)
    low, steps = (low, _STEPS) if high > low else (low - span / 2.0, _STEPS)
    # At first on a grid that is fine enough for the widths, then for the windows.
    masses = _bin(scores, positive, weights, (low, span / steps, steps))
    sizes = _effective_sizes(positive, weights)
    widths = [_width(m, n, span / steps) for m, n in zip(masses, sizes, strict=True)]
    needed = _STEPS_PER_WIDTH * span / min(widths)
    if needed > steps:
        steps = int(min(2 ** np.ceil(np.log2(needed)), _MOST_STEPS))
        masses = _bin(scores, positive, weights, (low, span / steps, steps))
    step = span / steps
    widths = [max(width, step) for width in widths]
    margin = int(np.ceil(_REACH * max(widths) / step))
    grid: Floats = low + step * np.arange(-margin, steps + 1 + margin).astype(float)
    total = float(masses.sum())
    shares = np.pad(masses / total, ((0, 0), (margin, margin)))
    curves = [_smooth(m, w / step) / step for m, w in zip(shares, widths, strict=True)]
    negative, plus = (
        ClassDensity(grid[share > 0.0], share[share > 0.0], width)
        for share, width in zip(shares, widths, strict=True)
    )
    return ScoreDensities(plus, negative, grid, curves[1], curves[0])


def _drawn_in(scores: Floats) -> Floats:
    with np.errstate(over="ignore"):
        span = float(np.ptp(scores))
    first, last = np.quantile(scores[:: 1 + len(scores) // 10_000], [0.01, 0.99])
    middle = float(last - first)
    # A width is at least about 0.03 of the middle for any number of rows we can hold.
    if middle <= 0.0 or span * _STEPS_PER_WIDTH <= 0.03 * middle * _MOST_STEPS:
        return scores
    return np.clip(scores, first - 10.0 * middle, last + 10.0 * middle)


def _bin(
    scores: Floats,
    positive: NDArray[np.bool_],
    weights: Floats | None,
    frame: tuple[float, float, int],
) -> Floats:
    """Return linearly binned weights of -1 and +1, shape (2, steps + 1)."""
    low, step, steps = frame
    place = (scores - low) / step
    cell = np.minimum(place.astype(np.intp), steps - 1)
    share = place - cell
    cell += positive * (steps + 2)
    full = np.bincount(cell, weights, minlength=2 * (steps + 2)).astype(np.float64)
    if weights is not None:
        share *= weights
    moved = np.bincount(cell, share, minlength=2 * (steps + 2))
    binned = full - moved
    binned[1:] += moved[:-1]
    return np.maximum(binned.reshape(2, steps + 2)[:, :-1], 0.0)


def _effective_sizes(
    positive: NDArray[np.bool_], weights: Floats | None
) -> tuple[float, float]:
    if weights is None:
        n_positive = int(np.count_nonzero(positive))
        return float(len(positive) - n_positive), float(n_positive)
    sizes = []
    for mask in (~positive, positive):
        w = weights[mask]
        sizes.append(float(w.sum() ** 2 / (w @ w)))
    return sizes[0], sizes[1]


def _width(mass: Floats, size: float, step: float) -> float:
    place = np.arange(len(mass)) * step
    share = mass / mass.sum()
    center = float(share @ place)
    deviation = float(np.sqrt(share @ (place - center) ** 2))
    low, high = np.searchsorted(np.cumsum(share), [0.25, 0.75]) * step
    spread = min(deviation, (high - low) / 1.34) if high > low else deviation
    # A class of equal scores has no width of its own.
    floor = 1e-3 * len(mass) * step
    return float(max(0.9 * spread * size**-0.2, floor if spread <= 0.0 else step))


def _smooth(mass: Floats, width: float) -> Floats:
    """Return the convolution with a normal window of this width, in grid steps."""
    size = int(2 ** np.ceil(np.log2(2 * len(mass))))
    frequency = 2.0 * np.pi * np.fft.rfftfreq(size)
    window = np.exp(-0.5 * (width * frequency) ** 2)
    curve = np.fft.irfft(np.fft.rfft(mass, size) * window, size)[: len(mass)]
    return np.maximum(curve, 0.0)
