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

from app.errors import FieldError
from app.errors.faults import unusable
from app.features.feature import Feature, learn_all
from app.features.notation import Notation, from_payload, to_payload
from app.features.table import Table, name_problem
from app.features.values import MISSING, numbers_of

__all__ = ["FeatureSchema"]


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
        features = learn_all(table, names, missing_native)
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
