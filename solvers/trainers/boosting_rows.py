"""What every booster does with its training rows before it begins.

They are checked, split for early stopping, and turned into codes: one for every
threshold, or histogram bins.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.validation import _check_sample_weight, validate_data

from solvers.boosting.codes import Codes, exact_codes, histogram_codes
from solvers.boosting.streamed import StreamedRows
from solvers.splits import draw_groups, units_of

__all__ = [
    "EXACT_ROWS",
    "FitsRows",
    "FitsRowsInGroups",
    "TrainingRows",
    "make_codes",
    "read_rows",
    "split_rows",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Rows of positive weight: X (n_rows, n_features), y in {-1, +1}, weight.

    X is an array, or ``StreamedRows`` where the booster takes them.
    """

    X: Any
    y: Floats
    weight: Floats
    groups: NDArray[Any] | None = None
    """Rows of one group stay together when some are kept apart, shape (n_rows,)."""

    def take(self, rows: NDArray[np.intp]) -> "TrainingRows":
        """Return some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        return TrainingRows(self.X[rows], self.y[rows], self.weight[rows], groups)


def read_rows(
    estimator: Any,
    X: ArrayLike | StreamedRows,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None = None,
    *,
    weightless: bool = False,
) -> TrainingRows:
    """Return the checked rows; the estimator keeps which label is which.

    NaN is a value like any other; a row of weight 0 is no row, unless ``weightless``
    asks for those too.

    Raises
    ------
    ValueError
        When X is infinite, a weight is negative, there are not two classes, or there
        is not one group for each row.
    """
    if isinstance(X, StreamedRows):
        return _read_streamed(estimator, X, y, sample_weight)
    values, labels = validate_data(
        estimator, X, y, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
    )
    weight = _check_sample_weight(
        sample_weight, values, dtype=np.float64, ensure_non_negative=True
    )
    named = None if groups is None else np.asarray(groups)
    if named is not None and named.shape != weight.shape:
        msg = f"groups must name one group a row: {len(weight)} rows, {named.shape}"
        raise ValueError(msg)
    if not weightless and not weight.all():
        used = np.flatnonzero(weight)
        values, labels, weight = values[used], labels[used], weight[used]
        named = None if named is None else named[used]
    signs = estimator._read_labels(labels)  # noqa: SLF001 - of every booster
    return TrainingRows(values, signs, weight, named)


def _read_streamed(
    estimator: Any, X: StreamedRows, y: ArrayLike, sample_weight: ArrayLike | None
) -> TrainingRows:
    """Return rows that are read block by block, with their labels and weights."""
    if not getattr(estimator, "_streams", False):
        msg = (
            f"{type(estimator).__name__} takes no streamed rows; boosters of stumps"
            " and abstention trees do"
        )
        raise TypeError(msg)
    if getattr(estimator, "early_stopping", False):
        msg = (
            "early stopping keeps rows apart in memory, and these are streamed: set"
            " early_stopping=False and n_rounds"
        )
        raise ValueError(msg)
    labels = column_or_1d(y)
    if len(labels) != len(X):
        msg = f"y has {len(labels)} labels for {len(X)} streamed rows"
        raise ValueError(msg)
    # Ones that take no memory, where no weights are given.
    ones = np.broadcast_to(np.float64(1.0), len(X))
    weight = ones if sample_weight is None else np.asarray(sample_weight)
    if weight.shape != (len(X),) or not ((weight > 0) & (weight < np.inf)).all():
        msg = "streamed rows take one weight each, finite and above 0"
        raise ValueError(msg)
    first = X[np.zeros(1, dtype=np.int64)]
    validate_data(estimator, first, dtype=np.float64, ensure_all_finite="allow-nan")
    signs = estimator._read_labels(labels)  # noqa: SLF001 - of every booster
    return TrainingRows(X, signs, np.asarray(weight, dtype=np.float64))


def split_rows(
    rows: TrainingRows, fraction: float, random_state: Any
) -> tuple[TrainingRows, TrainingRows | None]:
    """Return the rows to train on and those kept apart, both with each class's share.

    Groups stay whole. When a class is too small to give a row, or groups leave a side
    with one class only, none is kept apart: the second is None.
    """
    random = check_random_state(random_state)
    if rows.groups is not None:
        positive = rows.y > 0.0
        units = units_of(positive, rows.groups)
        wanted = np.full(2, fraction)
        apart = draw_groups(units.counts, wanted, random)[units.of_row]
        if not all(len(np.unique(positive[side])) == 2 for side in (apart, ~apart)):
            return rows, None
        return rows.take(np.flatnonzero(~apart)), rows.take(np.flatnonzero(apart))
    apart = np.zeros(len(rows.y), dtype=bool)
    for sign in (-1.0, 1.0):
        members = random.permutation(np.flatnonzero(rows.y == sign))
        count = int(fraction * len(members))
        if count == 0:
            return rows, None
        apart[members[:count]] = True
    return rows.take(np.flatnonzero(~apart)), rows.take(np.flatnonzero(apart))


EXACT_ROWS = 20_000
"""Up to here ``max_bins="auto"`` searches every threshold."""


def make_codes(rows: TrainingRows, max_bins: int | str | None) -> Codes:
    """Return the rows' codes; ``max_bins`` as the boosters take it.

    Raises
    ------
    ValueError
        When every threshold is to be searched of more streamed rows than 20,000.
    """
    few = len(rows.y) <= EXACT_ROWS
    if max_bins is None or (max_bins == "auto" and few):
        if isinstance(rows.X, StreamedRows) and not few:
            msg = (
                "max_bins=None searches every threshold, which takes the rows in"
                f" memory: of {len(rows.y)} streamed ones give max_bins, or 'auto'"
            )
            raise ValueError(msg)
        return exact_codes(rows.X[:])
    bins = 255 if max_bins == "auto" else int(max_bins)
    return histogram_codes(rows.X, rows.weight, bins)


class FitsRows(ABC):
    """The ``fit`` of a classifier of `TrainingRows`.

    A subclass has ``_check_parameters`` and ``_fit_rows``.
    """

    _keeps_weightless = False
    """Whether ``_fit_rows`` sees rows of weight 0 too."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError where a parameter is out of range."""

    @abstractmethod
    def _fit_rows(self, rows: TrainingRows) -> None:
        """Fit on rows that are checked."""

    def fit(
        self,
        X: ArrayLike | StreamedRows,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            NaN is a missing value; infinities are refused. Boosters of stumps and
            abstention trees take ``StreamedRows`` too, more than memory holds.
        y : array-like of shape (n_rows,)
            Two labels, one of them ``pos_label``.
        sample_weight : array-like of shape (n_rows,), optional
            Each >= 0; weight 0 equals no row.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            When a parameter is out of range or the rows have one class only.
        Interrupted
            When the progress callback asks to stop.
        """
        return self._fit(X, y, sample_weight, None)

    def _fit(
        self,
        X: ArrayLike | StreamedRows,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
    ) -> Self:
        self._check_parameters()
        weightless = self._keeps_weightless
        rows = read_rows(self, X, y, sample_weight, groups, weightless=weightless)
        self._fit_rows(rows)
        return self


class FitsRowsInGroups(FitsRows):
    """The same, where rows are kept apart and groups of them stay whole."""

    def fit(
        self,
        X: ArrayLike | StreamedRows,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the model, as `FitsRows.fit` does.

        Rows of one of the ``groups``, shape (n_rows,), stay together when some rows
        are kept apart.
        """
        return self._fit(X, y, sample_weight, groups)
