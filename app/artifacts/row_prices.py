"""Prices that follow columns of the row: a fraud of 10 is none of 10,000.

Each of the four prices is a number, or ``times`` the number in a column; at least one
is a column. A row is decided by Chow's rule at its own prices (``RowCosts``). A price
is within ``LEAST`` and ``MOST``; a row that lacks one is asked about, never guessed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from app.features.feature import Feature
from app.features.schema import FeatureSchema
from app.guards.guards import NO_PRICE
from solvers.costs import RowCosts

__all__ = [
    "LEAST",
    "MOST",
    "ColumnPrice",
    "OwnPrices",
    "RowPrices",
    "at_own_prices",
    "four_numbers",
    "price_columns",
    "with_price_columns",
]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEAST, MOST = 1e-12, 1e12
"""Of a price, or its ``times``, wherever one is told to the service."""


@dataclass(frozen=True, slots=True)
class ColumnPrice:
    """A price that is ``times`` the number in a column."""

    column: str
    times: float = 1.0


class OwnPrices(NamedTuple):
    """The prices of some rows: what is not known of a row is 1, and the row marked."""

    costs: RowCosts
    unknown: Flags


@dataclass(frozen=True, slots=True)
class RowPrices:
    """The four prices, at least one of which is a column."""

    false_positive: float | ColumnPrice
    false_negative: float | ColumnPrice
    reject_positive: float | ColumnPrice
    reject_negative: float | ColumnPrice

    def __post_init__(self) -> None:
        if not self.columns:
            msg = "at least one price is a column; four numbers are a CostMatrix"
            raise ValueError(msg)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that prices are read from, each once."""
        named = (one.column for one in self._all if isinstance(one, ColumnPrice))
        return tuple(dict.fromkeys(named))

    @property
    def _all(self) -> tuple[float | ColumnPrice, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))

    def as_given(self) -> dict[str, Any]:
        """Return the prices as a request gives them."""
        return {
            field.name: {"column": one.column, "times": one.times}
            if isinstance(one, ColumnPrice)
            else one
            for field, one in zip(fields(self), self._all, strict=True)
        }

    @classmethod
    def of(cls, prices: Mapping[str, Any]) -> Self:
        """Read what `as_given` gives."""
        return cls(
            **{
                name: ColumnPrice(**one) if isinstance(one, Mapping) else float(one)
                for name, one in prices.items()
            }
        )

    def at(self, values: Mapping[str, Floats]) -> OwnPrices:
        """Return the prices of rows, and which rows lack one.

        Parameters
        ----------
        values : mapping of str to ndarray of shape (n_rows,)
            The columns; NaN is missing.
        """
        priced = self._priced(values)
        columns = [price for price in priced.values() if isinstance(price, np.ndarray)]
        within = [(price >= LEAST) & (price <= MOST) for price in columns]
        known = np.asarray(np.logical_and.reduce(within))
        costs = {
            name: np.where(known, price, 1.0)
            if isinstance(price, np.ndarray)
            else price
            for name, price in priced.items()
        }
        return OwnPrices(RowCosts(**costs), ~known)

    def of_row(self, values: Mapping[str, float]) -> dict[str, float] | None:
        """Return the prices of one row by name; None where it lacks one."""
        columns = {name: np.array([value]) for name, value in values.items()}
        costs, unknown = self.at(columns)
        if unknown[0]:
            return None
        return {f.name: getattr(costs, f.name)[0].item() for f in fields(self)}

    def _priced(self, values: Mapping[str, Floats]) -> dict[str, Any]:
        with np.errstate(over="ignore"):
            return {
                field.name: one.times * values[one.column]
                if isinstance(one, ColumnPrice)
                else one
                for field, one in zip(fields(self), self._all, strict=True)
            }


def at_own_prices(
    probability: Floats, prices: OwnPrices, guarded: NDArray[np.int8] | None
) -> tuple[NDArray[np.int8], NDArray[np.int8] | None]:
    """Return the cheapest decision on each row, and what rejects it before that.

    Parameters
    ----------
    probability : ndarray of shape (n_rows,)
        Of +1; one that is no number, of a score that overflows, is refused later.
    prices : OwnPrices
    guarded : ndarray of shape (n_rows,), int8, or None
    """
    known = np.where(np.isnan(probability), 0.5, probability)
    decisions = prices.costs.decide(known)
    if prices.unknown.any():
        fired = np.int8(0) if guarded is None else guarded
        guarded = np.where(prices.unknown, np.int8(NO_PRICE), fired)
    return decisions, guarded


def four_numbers(costs: Mapping[str, Any] | None) -> dict[str, float] | None:
    """Return the costs of a version where they are the same for all rows, else None."""
    return None if costs is None or price_columns(costs) else dict(costs)


def price_columns(costs: Mapping[str, Any] | None) -> list[str]:
    """Return the columns that the costs of a version follow."""
    prices = (costs or {}).values()
    named = (one["column"] for one in prices if isinstance(one, Mapping))
    return list(dict.fromkeys(named))


def with_price_columns(
    features: FeatureSchema, prices: RowPrices | None
) -> FeatureSchema:
    """Return the columns that a row has to have: features, then others of prices."""
    if prices is None:
        return features
    others = [name for name in prices.columns if name not in features.names]
    if not others:
        return features
    more = (Feature(name, "numeric", missing_indicator=True) for name in others)
    return replace(features, features=(*features.features, *more))
