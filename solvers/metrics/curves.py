"""What rejecting more would buy: risk and cost against coverage.

Rows are kept in the order of their confidence. What two thresholds can do at best is an
order too: of what deciding a row saves at p, the share of +1 among the rows of its
block of the isotonic regression on the score. The blocks are the edges of the ROC
convex hull, so no two thresholds cost less than this order at any coverage, and at the
ends of the blocks it is two thresholds. At coverage k / n the risk is the error
among the k most confident rows. Tied rows are kept or rejected together, so the curve
has a point only where a threshold can really be put; in between, the number of errors
(not the risk) is linear, as if tied rows were kept in random order.

The area under it averages over all coverages; what exceeds the area of the best
possible order of the same errors, e + (1 - e) log(1 - e), is the excess area, never
negative (Geifman, Uziel and El-Yaniv 2019).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.metrics.confusion import Prices, prices_of_rows
from solvers.metrics.inputs import as_positive, as_scores, as_weights

__all__ = [
    "CoverageCurve",
    "area_under_risk_coverage",
    "cost_coverage_curve",
    "excess_area_under_risk_coverage",
    "isotonic_share",
    "risk_coverage_curve",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class CoverageCurve:
    """Points of a curve over coverage, from few rows kept to all.

    Attributes
    ----------
    coverage : ndarray of shape (m,)
        Share of the rows (of the weight) that is decided, ascending, last 1.
    value : ndarray of shape (m,)
        Risk among the decided rows, or mean cost over all rows.
    threshold : ndarray of shape (m,)
        Rows whose confidence is at least this are decided.
    """

    coverage: Floats
    value: Floats
    threshold: Floats


def risk_coverage_curve(
    y_true: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
    confidence: ArrayLike | None = None,
) -> CoverageCurve:
    """Return the error among the decided rows at every coverage.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Labels.
    scores : array-like of shape (n_rows,)
        A row is called +1 where the score is positive.
    sample_weight : array-like of shape (n_rows,), optional
    positive : label, optional
    confidence : array-like of shape (n_rows,), optional
        What orders the rows; the absolute score by default.
    """
    truth = as_positive(y_true, positive)
    values = as_scores(scores, len(truth))
    weights = as_weights(sample_weight, len(truth))
    order_by = np.abs(values) if confidence is None else confidence
    trust = as_scores(order_by, len(truth))
    wrong = (values > 0.0) != truth
    mass, lost, threshold = _by_confidence(trust, weights, weights * wrong)
    return CoverageCurve(mass / mass[-1], lost / mass, threshold)


def area_under_risk_coverage(
    y_true: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
    confidence: ArrayLike | None = None,
) -> float:
    """Return the mean risk over all coverages (0 is best).

    Parameters
    ----------
    y_true, scores, sample_weight, positive, confidence
        As in ``risk_coverage_curve``.
    """
    curve = risk_coverage_curve(
        y_true, scores, sample_weight, positive=positive, confidence=confidence
    )
    return _area(curve)


def excess_area_under_risk_coverage(
    y_true: ArrayLike,
    scores: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
    confidence: ArrayLike | None = None,
) -> float:
    """Return the area beyond that of the best order of the same errors (0 is best).

    Parameters
    ----------
    y_true, scores, sample_weight, positive, confidence
        As in ``risk_coverage_curve``.
    """
    curve = risk_coverage_curve(
        y_true, scores, sample_weight, positive=positive, confidence=confidence
    )
    error = float(curve.value[-1])
    # Best: all right rows first; then the risk at coverage c is 1 - (1 - e) / c,
    # whose integral over [1 - e, 1] is e + (1 - e) log(1 - e).
    best = error if error >= 1.0 else error + (1.0 - error) * np.log1p(-error)
    return float(_area(curve) - best)


def cost_coverage_curve(
    y_true: ArrayLike,
    scores: ArrayLike,
    costs: Prices | Mapping[str, Any],
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
    confidence: ArrayLike | None = None,
) -> CoverageCurve:
    """Return the mean cost over all rows at every coverage, from rejecting all on.

    Parameters
    ----------
    y_true, scores, sample_weight, positive
        As in ``risk_coverage_curve``.
    costs : CostMatrix, mapping with its four fields, or RowCosts of as many rows
    confidence : array-like of shape (n_rows,), optional
        What orders the rows, which are then called by the sign of their score. By
        default the cheapest two thresholds at each coverage decide; where rows have
        prices of their own, what deciding saves at those.
    """
    truth = as_positive(y_true, positive)
    values = as_scores(scores, len(truth))
    weights = as_weights(sample_weight, len(truth))
    fn, rp, fp, rn = prices_of_rows(costs, len(truth))
    rejected = np.where(truth, rp, rn)
    if confidence is None:
        share = isotonic_share(truth, values, weights)
        plus, minus = (1.0 - share) * fp, share * fn
        values = minus - plus
        confidence = share * rp + (1.0 - share) * rn - np.minimum(plus, minus)
    called = np.where(values > 0.0, np.where(truth, 0.0, fp), np.where(truth, fn, 0.0))
    trust = as_scores(confidence, len(truth))
    gain = weights * (called - rejected)
    mass, change, threshold = _by_confidence(trust, weights, gain)
    cost = float((weights * rejected).sum()) + np.concatenate(([0.0], change))
    return CoverageCurve(
        np.concatenate(([0.0], mass)) / mass[-1],
        cost / mass[-1],
        np.concatenate(([np.inf], threshold)),
    )


def isotonic_share(truth: NDArray[np.bool_], scores: Floats, weights: Floats) -> Floats:
    """Return the share of +1 in each row's block of the isotonic regression.

    Parameters
    ----------
    truth : ndarray of bool, shape (n_rows,)
    scores : ndarray of shape (n_rows,)
        Equal ones are in one block.
    weights : ndarray of shape (n_rows,)
        Rows without weight get the share of their neighbours.

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    # Only what draws the curve needs scipy; a process that only decides loads none.
    from scipy.optimize import isotonic_regression  # noqa: PLC0415

    kept = weights > 0.0
    if not kept.any():
        return np.zeros(len(scores))
    values, group = np.unique(scores[kept], return_inverse=True)
    mass = np.bincount(group, weights[kept])
    share = np.bincount(group, weights[kept] * truth[kept]) / mass
    fitted = isotonic_regression(share, weights=mass).x
    place = np.searchsorted(values, scores).clip(max=len(values) - 1)
    return np.asarray(np.clip(fitted[place], 0.0, 1.0))


def _by_confidence(
    trust: Floats, weights: Floats, amount: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return cumulative weight and amount at each distinct confidence, falling."""
    if not len(trust) or not weights.sum() > 0.0:
        msg = "a curve needs at least one row with weight"
        raise ValueError(msg)
    # A row without weight makes no point of its own: the mass would not grow.
    rows = np.flatnonzero(weights > 0.0)
    order = rows[np.argsort(-trust[rows], kind="stable")]
    trust, weights, amount = trust[order], weights[order], amount[order]
    ends = np.append(np.flatnonzero(trust[1:] != trust[:-1]), len(trust) - 1)
    return np.cumsum(weights)[ends], np.cumsum(amount)[ends], trust[ends]


def _area(curve: CoverageCurve) -> float:
    """Integrate (a + b c) / c between points; below the first, a = 0."""
    coverage, errors = curve.coverage, curve.coverage * curve.value
    slope = np.diff(errors) / np.diff(coverage)
    offset = errors[:-1] - slope * coverage[:-1]
    pieces = slope * np.diff(coverage) + offset * np.log(coverage[1:] / coverage[:-1])
    return float(errors[0] + pieces.sum())
