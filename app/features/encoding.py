"""Columns to matrix: the arithmetic of a `FeatureSchema`, ready to run.

Training tables and single requests go through the same elementwise operations, so
a row has the same bits wherever it comes from. ``encoded_names`` of the schema says
what each column of the matrix holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.features.schema import (
    LARGEST_NUMBER,
    SPREAD,
    Feature,
    FeatureSchema,
    trimmed,
)
from app.features.table import Table

__all__ = ["Encoded", "Encoder", "RowNote", "encode_table"]


@dataclass(frozen=True, slots=True)
class RowNote:
    """Something legal about a row that training had not seen."""

    kind: Literal["unseen_category", "missing_value"]
    column: str

    @property
    def text(self) -> str:
        """Return the note in words; it names the column, never the value."""
        if self.kind == "unseen_category":
            return f"unseen_category: {self.column} holds a category unseen in training"
        return f"missing_value: {self.column} is missing, in training it never was"


@dataclass(frozen=True, slots=True)
class Encoded:
    """The encoded rows, and what is to be said about some of them.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_encoded)
    notes : mapping of row index to RowNotes
        Rows without a note are left out.
    """

    matrix: NDArray[np.float64]
    notes: Mapping[int, list[RowNote]]


@dataclass(slots=True)
class _Category:
    """One categorical column: where its values go and what to say."""

    start: int
    codes: dict[str | None, int]
    unseen: RowNote
    missing: RowNote | None = field(default=None)


class Encoder:
    """A schema compiled to arrays.

    Parameters
    ----------
    schema : FeatureSchema
    """

    def __init__(self, schema: FeatureSchema) -> None:
        numbers = schema.numbers
        self.schema = schema
        self.width = schema.n_encoded
        self.n_numbers = len(numbers)
        self._native = schema.missing_native
        self._mean = np.array([f.mean for f in numbers], dtype=np.float64)
        scale = np.array([f.scale for f in numbers], dtype=np.float64)
        constant = scale == 0.0
        self._inverse = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, scale))
        reach = LARGEST_NUMBER if self._native else SPREAD * scale
        self._low = np.maximum(self._mean - reach, -LARGEST_NUMBER)
        self._high = np.minimum(self._mean + reach, LARGEST_NUMBER)
        self._impute = np.array(
            [np.nan if f.impute is None else f.impute for f in numbers]
        )
        indicated = [j for j, f in enumerate(numbers) if f.missing_indicator]
        self._indicated = np.array(indicated, dtype=np.intp)
        self._surprising = {
            j: RowNote("missing_value", f.name)
            for j, f in enumerate(numbers)
            if not f.missing_indicator
        }
        n_indicators = 0 if self._native else len(indicated)
        self._end_of_numbers = self.n_numbers + n_indicators
        self._categories = self._place(schema.categoricals)
        self._plain = self.width == self.n_numbers
        ladder = (self._low, self._high, self._mean, self._inverse)
        self._ladder = list(zip(*(each.tolist() for each in ladder), strict=True))

    def _place(self, features: Sequence[Feature]) -> list[_Category]:
        placed = []
        start = self._end_of_numbers
        for feature in features:
            codes: dict[str | None, int] = {
                value: code for code, value in enumerate(feature.categories)
            }
            for code, value in enumerate(feature.categories):
                # Models of earlier versions know categories with white space around.
                codes.setdefault(trimmed(value), code)
            width = len(feature.categories)
            missing = None
            if not feature.missing_indicator:
                missing = RowNote("missing_value", feature.name)
            elif not self._native:
                codes[None] = width
                width += 1
            unseen = RowNote("unseen_category", feature.name)
            placed.append(_Category(start, codes, unseen, missing))
            start += 1 if self._native else width
        return placed

    def encode(
        self,
        numbers: NDArray[np.float64],
        categories: Sequence[Sequence[str | None]] = (),
    ) -> Encoded:
        """Encode rows that are split into their numbers and their categories.

        Parameters
        ----------
        numbers : ndarray of shape (n_rows, n_numbers)
            In the order of ``schema.numbers``; NaN is missing. Left unchanged.
        categories : sequence of columns
            In the order of ``schema.categoricals``, each of length n_rows.
        """
        notes: dict[int, list[RowNote]] = {}
        values = numbers
        mask = np.isnan(numbers)
        has_missing = np.count_nonzero(mask) > 0
        if has_missing:
            self._note_missing(mask, notes)
            if not self._native:
                values = np.where(mask, self._impute, numbers)
        # Held first: the difference below cannot overflow then.
        values = np.minimum(np.maximum(values, self._low), self._high)
        values -= self._mean
        values *= self._inverse
        if self._plain:
            return Encoded(values, notes)
        matrix = np.zeros((len(numbers), self.width))
        matrix[:, : self.n_numbers] = values
        if has_missing and not self._native:
            matrix[:, self.n_numbers : self._end_of_numbers] = mask[:, self._indicated]
        for category, column in zip(self._categories, categories, strict=True):
            self._write(matrix, category, column, notes)
        return Encoded(matrix, notes)

    def encode_one(
        self, cells: Sequence[float | bool | str | None]
    ) -> list[float] | None:
        """Return what `encode` makes of one row; None where there is more to say.

        That is a row with a missing value or an unseen category.

        Parameters
        ----------
        cells : sequence
            The row's numbers, then its categories, in the order of the schema.
        """
        row = [0.0] * self.width
        place = 0
        for value, (low, high, mean, inverse) in zip(cells, self._ladder, strict=False):
            if value is None:
                return None
            if value < low:
                value = low  # noqa: PLW2901 - held, as the array is
            elif value > high:
                value = high  # noqa: PLW2901
            row[place] = (value - mean) * inverse
            place += 1
        for category, name in zip(self._categories, cells[place:], strict=True):
            code = category.codes.get(name) if name is not None else None  # type: ignore[arg-type]  # a string
            if code is None:
                return None
            if self._native:
                row[category.start] = code
            else:
                row[category.start + code] = 1.0
        return row

    def _note_missing(
        self, mask: NDArray[np.bool_], notes: dict[int, list[RowNote]]
    ) -> None:
        for row, column in np.argwhere(mask).tolist():
            note = self._surprising.get(column)
            if note is not None:
                notes.setdefault(row, []).append(note)

    def _write(
        self,
        matrix: NDArray[np.float64],
        category: _Category,
        column: Sequence[str | None],
        notes: dict[int, list[RowNote]],
    ) -> None:
        start, codes = category.start, category.codes
        for row, value in enumerate(column):
            code = codes.get(value)
            if code is None and value is not None:
                code = codes.get(trimmed(value))
            if code is None:
                note = category.missing if value is None else category.unseen
                if note is not None:
                    notes.setdefault(row, []).append(note)
                if self._native:
                    matrix[row, start] = np.nan
            elif self._native:
                matrix[row, start] = code
            else:
                matrix[row, start + code] = 1.0


def encode_table(schema: FeatureSchema, table: Table) -> Encoded:
    """Encode the rows of a table that has (at least) the schema's columns.

    Returns
    -------
    Encoded
        ``matrix`` is C-ordered float64 of shape (n_rows, schema.n_encoded).
    """
    numbers = np.empty((table.n_rows, len(schema.numbers)))
    for j, feature in enumerate(schema.numbers):
        # Booleans are objects; float64 turns True into 1 and None into NaN.
        numbers[:, j] = table.columns[feature.name].astype(np.float64)
    columns = [table.columns[f.name].tolist() for f in schema.categoricals]
    return Encoder(schema).encode(numbers, columns)
