"""One column as training saw it, and how it is learnt from the training rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError, InvalidRequestError
from app.errors.faults import unusable
from app.features.table import ColumnType, Table
from app.features.values import category, is_number

__all__ = [
    "LARGEST_NUMBER",
    "MAX_CATEGORIES",
    "MAX_CATEGORY_LENGTH",
    "SPREAD",
    "Feature",
    "learn_all",
]

MAX_CATEGORIES = 255
"""A column with more distinct strings is an identifier or free text: refused."""

MAX_CATEGORY_LENGTH = 1000
"""Characters of one category in training; longer strings are refused."""

LARGEST_NUMBER = 1e100
"""Numbers beyond it are held at it, so that squares and sums stay finite."""

SPREAD = 1e6
"""Standard deviations from the mean beyond which a number is held."""

_SMALLEST_SCALE = 1e-200


@dataclass(frozen=True, slots=True)
class Feature:
    """One column as training saw it.

    Parameters
    ----------
    name : str
    type : {"numeric", "boolean", "categorical"}
    mean, scale : float
        In the column's own unit; 0 and 1 where nothing is standardised.
    categories : tuple of str
        Sorted; empty unless categorical.
    impute : float or None
        What stands for a missing value, in the column's own unit.
    missing_indicator : bool
        Whether training had missing values here.
    least, most : float or None
        Beyond them a number is told as far outside of training, in the column's own
        unit (`OutlierGuard.reach`); None where nothing is.
    """

    name: str
    type: ColumnType
    mean: float = 0.0
    scale: float = 1.0
    categories: tuple[str, ...] = ()
    impute: float | None = None
    missing_indicator: bool = False
    least: float | None = None
    most: float | None = None

    def takes(self, kind: ColumnType) -> bool:
        """Tell whether values of a type can be values of this column.

        Numbers are categories where training knows such a category, and booleans too:
        where it does not, another column was meant.
        """
        if kind == self.type or self.type != "categorical":
            return kind == self.type
        known = map(category, self.categories)
        if kind == "boolean":
            return not {"true", "false"}.isdisjoint(known)
        return any(map(is_number, known))

    @property
    def spelled(self) -> tuple[Any, ...]:
        """Return the Python types, beside text, whose values are categories here."""
        if self.type != "categorical":
            return ()
        numbers = (int, float) if self.takes("numeric") else ()
        return (*numbers, *((bool,) if self.takes("boolean") else ()))


def learn_all(
    table: Table, names: Sequence[str], missing_native: bool
) -> tuple[Feature, ...]:
    """Return every column's feature, or refuse every column that cannot be one."""
    features: list[Feature] = []
    faults: list[FieldError] = []
    for name in names:
        try:
            features.append(_learn(table, name, missing_native))
        except InvalidRequestError as error:
            faults += error.errors
    if faults:
        raise unusable(faults)
    return tuple(features)


def _learn(table: Table, name: str, missing_native: bool) -> Feature:
    if table.types[name] == "categorical":
        return _learn_categories(table, name)
    if table.types[name] == "boolean":
        return _learn_boolean(table, name, missing_native)
    return _learn_numbers(table, name, missing_native)


def _learn_numbers(table: Table, name: str, missing_native: bool) -> Feature:
    missing = table.missing(name)
    known: NDArray[np.float64] = table.columns[name][~missing]
    known = np.clip(known, -LARGEST_NUMBER, LARGEST_NUMBER)
    has_missing = bool(missing.any())
    if missing_native:
        return Feature(name, "numeric", missing_indicator=has_missing)
    if not len(known):
        return Feature(name, "numeric", scale=0.0, impute=0.0, missing_indicator=True)
    mean, scale = float(known.mean()), float(known.std())
    if known.min() == known.max() or scale < _SMALLEST_SCALE:
        mean, scale = float(known[0]), 0.0
    return Feature(
        name,
        "numeric",
        mean=mean,
        scale=scale,
        impute=float(np.median(known)),
        missing_indicator=has_missing,
    )


def _learn_boolean(table: Table, name: str, missing_native: bool) -> Feature:
    missing = table.missing(name)
    known = table.columns[name][~missing].astype(np.float64)
    share = float(known.mean()) if len(known) else 0.0
    has_missing = bool(missing.any())
    if missing_native:
        return Feature(name, "boolean", missing_indicator=has_missing)
    return Feature(
        name,
        "boolean",
        mean=share if share in {0.0, 1.0} else 0.0,
        scale=0.0 if share in {0.0, 1.0} else 1.0,
        impute=float(share > 0.5),
        missing_indicator=has_missing,
    )


def _learn_categories(table: Table, name: str) -> Feature:
    values = table.columns[name]
    missing = table.missing(name)
    for row, value in enumerate(values):
        if value is not None and len(value) > MAX_CATEGORY_LENGTH:
            detail = (
                f"a category has at most {MAX_CATEGORY_LENGTH} characters;"
                " leave free text out"
            )
            raise unusable([FieldError("/data", detail, row=row, column=name)])
    categories = tuple(sorted(set(map(category, set(values[~missing])))))
    if len(categories) > MAX_CATEGORIES:
        detail = (
            f"the column has {len(categories)} different strings, at most"
            f" {MAX_CATEGORIES} can be categories; leave identifiers and free text out,"
            ' name whose rows they are as "groups", or join the rare ones'
        )
        raise unusable([FieldError("/data", detail, column=name)])
    return Feature(
        name,
        "categorical",
        categories=categories,
        missing_indicator=bool(missing.any()),
    )
