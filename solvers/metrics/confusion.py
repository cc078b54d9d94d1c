"""The 2 x 3 table of truth against decision, and the rates that are read off it.

======  ====  ====  ======
truth   +1    -1    reject
======  ====  ====  ======
+1      TP    FN    RP
-1      FP    TN    RN
======  ====  ====  ======

A rate whose denominator is zero is undefined: NaN, never a number that looks good.
Source: Xu and Hu (2013), table II.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.metrics.inputs import as_decisions, as_positive, as_weights

__all__ = [
    "Prices",
    "augmented_confusion_matrix",
    "coverage",
    "error_rate",
    "expected_cost",
    "negative_predictive_value",
    "positive_predictive_value",
    "reject_rate",
    "selective_error",
]

Floats = NDArray[np.float64]

_PRICES = ("false_negative", "reject_positive", "false_positive", "reject_negative")


class Prices(Protocol):
    """The four prices of a decision (``CostMatrix`` has them)."""

    @property
    def false_positive(self) -> float:
        """Return the cost of calling a true -1 "+1"."""

    @property
    def false_negative(self) -> float:
        """Return the cost of calling a true +1 "-1"."""

    @property
    def reject_positive(self) -> float:
        """Return the cost of rejecting a true +1."""

    @property
    def reject_negative(self) -> float:
        """Return the cost of rejecting a true -1."""


def augmented_confusion_matrix(
    y_true: ArrayLike,
    decisions: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
) -> Floats:
    """Return the table of truth against decision.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Labels.
    decisions : array-like of shape (n_rows,)
        Codes +1, -1 and 0 (reject).
    sample_weight : array-like of shape (n_rows,), optional
    positive : label, optional
        The positive class; needed unless labels are {-1, 1}, {0, 1} or booleans.

    Returns
    -------
    ndarray of shape (2, 3)
        Rows: true +1, true -1. Columns: decided +1, decided -1, rejected.
    """
    truth = as_positive(y_true, positive)
    codes = as_decisions(decisions, len(truth))
    weights = as_weights(sample_weight, len(truth))
    column = np.where(codes == 0, 2, np.where(codes > 0, 0, 1))
    cell = np.where(truth, 0, 3) + column
    return np.bincount(cell, weights, minlength=6).reshape(2, 3).astype(np.float64)


def error_rate(
    y_true: ArrayLike,
    decisions: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
) -> float:
    """Return the share of wrongly decided rows among all rows, rejects included.

    Parameters
    ----------
    y_true, decisions, sample_weight, positive
        As in ``augmented_confusion_matrix``.
    """
    table = _table(y_true, decisions, sample_weight, positive)
    return float(of_table(table)["error_rate"])


def reject_rate(decisions: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the share of rejected rows.

    Parameters
    ----------
    decisions : array-like of shape (n_rows,)
        Codes +1, -1 and 0 (reject).
    sample_weight : array-like of shape (n_rows,), optional
    """
    codes = as_decisions(decisions, len(np.asarray(decisions)))
    weights = as_weights(sample_weight, len(codes))
    return float(_ratio(weights[codes == 0].sum(), weights.sum()))


def coverage(decisions: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the share of decided rows.

    Parameters
    ----------
    decisions : array-like of shape (n_rows,)
        Codes +1, -1 and 0 (reject).
    sample_weight : array-like of shape (n_rows,), optional
    """
    return 1.0 - reject_rate(decisions, sample_weight)


def selective_error(
    y_true: ArrayLike,
    decisions: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
) -> float:
    """Return the share of wrong rows among the decided ones (NaN: none decided).

    Parameters
    ----------
    y_true, decisions, sample_weight, positive
        As in ``augmented_confusion_matrix``.
    """
    table = _table(y_true, decisions, sample_weight, positive)
    return float(of_table(table)["selective_error"])


def positive_predictive_value(
    y_true: ArrayLike,
    decisions: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
) -> float:
    """Return the share of true +1 among the rows called +1 (NaN: none called +1).

    Parameters
    ----------
    y_true, decisions, sample_weight, positive
        As in ``augmented_confusion_matrix``.
    """
    table = _table(y_true, decisions, sample_weight, positive)
    return float(of_table(table)["positive_predictive_value"])


def negative_predictive_value(
    y_true: ArrayLike,
    decisions: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
) -> float:
    """Return the share of true -1 among the rows called -1 (NaN: none called -1).

    Parameters
    ----------
    y_true, decisions, sample_weight, positive
        As in ``augmented_confusion_matrix``.
    """
    table = _table(y_true, decisions, sample_weight, positive)
    return float(of_table(table)["negative_predictive_value"])


def expected_cost(
    y_true: ArrayLike,
    decisions: ArrayLike,
    costs: Prices | Mapping[str, Any],
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
) -> float:
    """Return the mean cost of the decisions.

    Parameters
    ----------
    y_true, decisions, sample_weight, positive
        As in ``augmented_confusion_matrix``.
    costs : CostMatrix, mapping with its four fields, or RowCosts of as many rows
    """
    prices = _given(costs)
    if any(map(np.ndim, prices.values())):
        return _mean_of_rows(y_true, decisions, prices, sample_weight, positive)
    table = _table(y_true, decisions, sample_weight, positive)
    return float(_ratio(np.sum(table * price_table(costs)), table.sum()))


def price_table(costs: Prices | Mapping[str, float]) -> Floats:
    """Return the price of each cell of the 2 x 3 table."""
    given = _given(costs)
    if any(map(np.ndim, given.values())):
        msg = "prices of rows do not fit a table of counts; expected_cost takes them"
        raise ValueError(msg)
    fn, rp, fp, rn = (float(given[name]) for name in _PRICES)
    return np.array([[0.0, fn, rp], [fp, 0.0, rn]])


def _given(costs: Prices | Mapping[str, Any]) -> dict[str, Any]:
    """Return the prices by name, each a number or a column."""
    if isinstance(costs, Mapping):
        given = {name: costs[name] for name in _PRICES if name in costs}
    else:
        given = {name: getattr(costs, name) for name in _PRICES if hasattr(costs, name)}
    missing = [name for name in _PRICES if name not in given]
    if missing:
        msg = f"costs must be a CostMatrix, or a mapping with {', '.join(missing)} too"
        raise ValueError(msg)
    return given


def _mean_of_rows(
    y_true: ArrayLike,
    decisions: ArrayLike,
    prices: Mapping[str, Any],
    sample_weight: ArrayLike | None,
    positive: Any,
) -> float:
    """Return the mean cost where each row has prices of its own."""
    truth = as_positive(y_true, positive)
    codes = as_decisions(decisions, len(truth))
    weights = as_weights(sample_weight, len(truth))
    fn, rp, fp, rn = prices_of_rows(prices, len(truth))
    rejected, wrong = np.where(truth, rp, rn), np.where(truth, fn, fp)
    correct = codes == np.where(truth, 1, -1)
    spent = np.where(codes == 0, rejected, np.where(correct, 0.0, wrong))
    return float(_ratio((weights * spent).sum(), weights.sum()))


def prices_of_rows(
    costs: Prices | Mapping[str, Any], n: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the prices of n rows, one of each a row.

    Returns
    -------
    false_negative, reject_positive, false_positive, reject_negative : ndarrays (n,)
    """
    columns = {k: np.asarray(v, np.float64) for k, v in _given(costs).items()}
    for name, column in columns.items():
        if column.shape not in ((), (n,)):
            msg = f"{name} must be one price, or {n}, one a row"
            raise ValueError(msg)
    fn, rp, fp, rn = (np.broadcast_to(columns[name], n) for name in _PRICES)
    return fn, rp, fp, rn


def of_table(tables: Floats) -> dict[str, Floats]:
    """Return all rates of one table, or of a stack of shape (..., 2, 3)."""
    tp, fn, rp = (tables[..., 0, k] for k in range(3))
    fp, tn, rn = (tables[..., 1, k] for k in range(3))
    total = tables.sum(axis=(-1, -2))
    wrong, rejected = fn + fp, rp + rn
    return {
        "error_rate": _ratio(wrong, total),
        "reject_rate": _ratio(rejected, total),
        "coverage": _ratio(total - rejected, total),
        "selective_error": _ratio(wrong, total - rejected),
        "positive_predictive_value": _ratio(tp, tp + fp),
        "negative_predictive_value": _ratio(tn, tn + fn),
    }


def _table(
    y_true: ArrayLike, decisions: ArrayLike, weights: ArrayLike | None, positive: Any
) -> Floats:
    return augmented_confusion_matrix(y_true, decisions, weights, positive=positive)


def _ratio(part: Any, whole: Any) -> Floats:
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole)
    empty = whole <= 0.0
    ratio = part / np.where(empty, 1.0, whole)
    return np.asarray(np.where(empty, np.nan, ratio), dtype=np.float64)
