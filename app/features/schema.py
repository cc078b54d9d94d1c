"""What a training learnt about its columns, as plain data.

A numeric column is centred and scaled: ``z = (x - mean) / scale``, held within
``SPREAD`` standard deviations of the mean. A boolean is 0 or 1; a category becomes
one 0/1 column for each value seen in training. A missing value is replaced (numbers:
by the median, booleans: by the commoner value, categories: by none of them) and, when
training had missing values in that column, marked in an indicator column of its own.

What a category is, and which texts mean "no value", says ``app.features.values``: a row
means the same in every format. A mark that was a category in training stays one.

With ``missing_native`` (trees) numbers stay as they are, categories become their
index, and a missing or unseen value is NaN.

A constant column has ``scale = 0`` and always encodes to 0: a model that never saw
it vary has learnt nothing about it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError, InvalidRequestError
from app.errors.faults import unusable
from app.features.notation import Notation, from_payload, to_payload
from app.features.table import ColumnType, Table, name_problem
from app.features.values import MISSING, category, is_number, numbers_of

__all__ = [
    "LARGEST_NUMBER",
    "MAX_CATEGORIES",
    "MAX_CATEGORY_LENGTH",
    "SPREAD",
    "Feature",
    "FeatureSchema",
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


@dataclass(frozen=True, slots=True)
class FeatureSchema:
    """The columns of a model, in the order of its training table.

    Parameters
    ----------
    features : tuple of Feature
    missing_native : bool
        Whether the model reads NaN itself.
    missing : tuple of str
        The marks that mean "no value".
    notations : mapping of str to Notation
        How a text file writes the numbers of a column, where no program would.
    """

    features: tuple[Feature, ...]
    missing_native: bool = False
    missing: tuple[str, ...] = MISSING
    notations: Mapping[str, Notation] = field(default_factory=dict)

    @classmethod
    def fit(
        cls,
        table: Table,
        *,
        columns: Sequence[str] | None = None,
        missing_native: bool = False,
    ) -> Self:
        """Learn means, scales, categories and stand-ins from training rows.

        Parameters
        ----------
        table : Table
            Training rows only.
        columns : sequence of str, optional
            The feature columns; all of the table's when left out.
        missing_native : bool
            For models that read NaN themselves.

        Raises
        ------
        InvalidRequestError
            When there is no row or no column, a name cannot be a key (see
            `app.features.table.name_problem`), or a categorical column has more
            than `MAX_CATEGORIES` values or one longer than `MAX_CATEGORY_LENGTH`.
        """
        names = table.names if columns is None else list(columns)
        if not names or not table.n_rows:
            detail = "training needs at least one row and one feature column"
            raise unusable([FieldError("/data", detail)])
        unfit = [(name, name_problem(name)) for name in names]
        if any(problem for _, problem in unfit):
            raise unusable(
                FieldError("/data/columns", problem, column=name[:200])
                for name, problem in unfit
                if problem
            )
        features = _learn_all(table, names, missing_native)
        written = {n: w for n, w in table.notations.items() if n in names}
        return cls(features, missing_native, table.marks, written)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the column names a request has to give."""
        return tuple(feature.name for feature in self.features)

    @property
    def numbers(self) -> tuple[Feature, ...]:
        """Return the numeric columns, then the boolean ones."""
        return tuple(
            feature
            for kind in ("numeric", "boolean")
            for feature in self.features
            if feature.type == kind
        )

    @property
    def categoricals(self) -> tuple[Feature, ...]:
        """Return the categorical columns."""
        return tuple(f for f in self.features if f.type == "categorical")

    @property
    def missing_numbers(self) -> tuple[float, ...]:
        """Return the numbers that mean "no value" in a column of numbers."""
        return numbers_of(self.missing)

    @property
    def encoded_names(self) -> tuple[str, ...]:
        """Return what each column of the encoded matrix holds.

        Numbers and booleans, their missing indicators, then each category.
        """
        names = [feature.name for feature in self.numbers]
        if self.missing_native:
            return (*names, *(feature.name for feature in self.categoricals))
        names += [f"{f.name} is missing" for f in self.numbers if f.missing_indicator]
        for feature in self.categoricals:
            names += [f"{feature.name} = {value}" for value in feature.categories]
            if feature.missing_indicator:
                names.append(f"{feature.name} is missing")
        return tuple(names)

    @property
    def encoded_columns(self) -> tuple[str, ...]:
        """Return the user's column that each encoded column comes from."""
        names = [feature.name for feature in self.numbers]
        if self.missing_native:
            return (*names, *(feature.name for feature in self.categoricals))
        names += [feature.name for feature in self.numbers if feature.missing_indicator]
        for feature in self.categoricals:
            width = len(feature.categories) + feature.missing_indicator
            names += [feature.name] * width
        return tuple(names)

    @property
    def n_encoded(self) -> int:
        """Return the width of the encoded matrix."""
        return len(self.encoded_names)

    def to_payload(self) -> dict[str, Any]:
        """Return the schema as JSON-able data."""
        columns = [
            {**asdict(f), "categories": list(f.categories)} for f in self.features
        ]
        return {
            "columns": columns,
            "missing_native": self.missing_native,
            "missing": list(self.missing),
            **({"notations": to_payload(self.notations)} if self.notations else {}),
        }

    @classmethod
    def from_payload(cls, payload: dict[str, Any]) -> Self:
        """Rebuild a schema from `to_payload`."""
        features = tuple(
            Feature(**{**column, "categories": tuple(column["categories"])})
            for column in payload["columns"]
        )
        missing = tuple(payload.get("missing", MISSING))
        notations = from_payload(payload.get("notations", {}))
        return cls(features, payload["missing_native"], missing, notations)


def _learn_all(
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
