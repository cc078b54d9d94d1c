"""Scores with labels that tests draw, and the search they are checked against."""

from itertools import combinations_with_replacement

import numpy as np
from hypothesis import strategies as st

from solvers.costs import CostMatrix
from solvers.errors import InvalidCostsError
from solvers.rules import Band


@st.composite
def labelled_scores(draw, most=24):
    """Scores with many ties, labels of both classes, at times 1:20."""
    n = draw(st.integers(2, most))
    scores = draw(
        st.lists(
            st.one_of(st.integers(-4, 4), st.floats(-3, 3, width=16)),
            min_size=n,
            max_size=n,
        )
    )
    rare = draw(st.booleans())
    y = np.full(n, -1) if rare else np.asarray(draw(_signs(n)))
    y[draw(st.integers(0, n - 1))] = 1
    if (y == 1).all():
        y[draw(st.integers(0, n - 1))] = -1
    return np.asarray(scores, dtype=float), y


def _signs(n):
    return st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)


@st.composite
def cost_matrices(draw):
    """Any costs at which rejecting can pay off."""
    price = st.floats(0.05, 20.0)
    fp, fn = draw(price), draw(price)
    share = draw(st.floats(0.02, 0.95))
    mix = draw(st.floats(0.05, 0.95))
    try:
        return CostMatrix(fp, fn, share * mix * fn, share * (1 - mix) * fp)
    except InvalidCostsError:
        return CostMatrix(1, 1, 0.25, 0.25)


def every_band(scores):
    """All closed bands that differ on these scores."""
    cuts = [*np.unique(scores), np.inf]
    return [Band(a, b, closed=True) for a, b in combinations_with_replacement(cuts, 2)]


def imbalanced(seed, n=210, decimals=1):
    """One +1 in twenty, with many tied scores."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 21 == 0, 1, -1)
    return np.round(1.2 * y + rng.normal(size=n), decimals), y


def gaussian(seed, n, shift=1.0, share=0.4):
    """Two normal classes."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < share, 1, -1)
    return shift * y + rng.normal(size=n), y
