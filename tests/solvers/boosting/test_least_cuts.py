"""The blocks passed over by the search never hold the least slope."""

import numpy as np
import pytest

from solvers.boosting.search import scan_codes

# (A - B) and (B - C) of each ordering, as multiples of (P, Q), and C.
_ANSWERS = {"+": (-1.0, 0.0), "-": (1.0, 0.0), "0": (0.0, 1.0)}
_ORDERINGS = ("-0+", "+0-", "-+0", "+-0", "0-+", "0+-")


def _least_by_formula(P: np.ndarray, Q: np.ndarray) -> float:
    least = np.inf
    for ordering in _ORDERINGS:
        a, b, c = (_ANSWERS[answer] for answer in ordering)
        first = (a[0] - b[0]) * P + (a[1] - b[1]) * Q
        second = (b[0] - c[0]) * P + (b[1] - c[1]) * Q
        value = np.minimum.accumulate(first) + second
        least = min(least, float(value.min() + c[0] * P[-1] + c[1] * Q[-1]))
    return least


@pytest.mark.parametrize("n_rows", [5, 127, 128, 129, 1000])
@pytest.mark.parametrize("scale", [0.1, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_least_slope_over_many_blocks_and_features(
    n_rows: int, scale: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    orders = np.array([rng.permutation(n_rows) for _ in range(6)], dtype=np.int32)
    codes = np.argsort(orders, axis=1).astype(np.int32)
    signed = rng.standard_normal(n_rows)
    pull = scale * np.abs(rng.standard_normal(n_rows))
    features = (np.full(6, n_rows), np.zeros(6, dtype=bool))
    options = (True, 1e-12 * float(np.abs(signed).sum() + pull.sum()))
    held = np.empty((0, 7), dtype=np.int64)

    found = scan_codes(
        codes, 2**31 - 1, orders, (signed, pull), features, options, held
    )

    rest = pull - np.abs(signed)
    expected = [
        _least_by_formula(
            np.concatenate(([0.0], np.cumsum(signed[order]))),
            np.concatenate(([0.0], np.cumsum(rest[order]))),
        )
        for order in orders
    ]
    assert found[0] == pytest.approx(min(expected), rel=1e-9)
    assert found[1][0] == int(np.argmin(expected))
