"""Columns to matrix: the arithmetic of a `FeatureSchema`, ready to run.

Training tables and single requests go through the same elementwise operations, so
a row has the same bits wherever it comes from. ``encoded_names`` of the schema says
what each column of the matrix holds.
"""

from collections.abc import Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.features.feature import LARGEST_NUMBER, SPREAD, Feature
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.features.values import Value, category, marks_of

__all__ = ["CategoryCodes", "Encoded", "Encoder", "RowNote", "encode_table"]


@dataclass(frozen=True, slots=True)
class RowNote:
    """Something legal about a row that training had not seen."""

    kind: Literal["unseen_category", "missing_value", "far_outside"]
    column: str

    @property
    def text(self) -> str:
        """Return the note in words; it names the column, never the value."""
        return f"{self.kind}: {self.column} {_SAID[self.kind]}"


_SAID = {
    "unseen_category": "holds a category unseen in training",
    "missing_value": "is missing, in training it never was",
    "far_outside": "lies far outside its range in training; the outlier guard rejects"
    " such a row where it is on",
}


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
class CategoryCodes:
    """One categorical column: where its values go and what to say."""

    start: int
    codes: dict[Value | None, int]
    """By category; those of `app.features.values.category` are among the keys."""
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
        self.mean = np.array([f.mean for f in numbers], dtype=np.float64)
        scale = np.array([f.scale for f in numbers], dtype=np.float64)
        constant = scale == 0.0
        self.inverse = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, scale))
        reach = LARGEST_NUMBER if self._native else SPREAD * scale
        self.low = np.maximum(self.mean - reach, -LARGEST_NUMBER)
        self.high = np.minimum(self.mean + reach, LARGEST_NUMBER)
        # Beyond these a number is told to be far outside.
        self._least = _or([f.least for f in numbers], -np.inf)
        self._most = _or([f.most for f in numbers], np.inf)
        self._far = [RowNote("far_outside", f.name) for f in numbers]
        self.impute = np.array(
            [np.nan if f.impute is None else f.impute for f in numbers]
        )
        indicated = [j for j, f in enumerate(numbers) if f.missing_indicator]
        self.indicated = np.array(indicated, dtype=np.intp)
        self._surprising = {
            j: RowNote("missing_value", f.name)
            for j, f in enumerate(numbers)
            if not f.missing_indicator
        }
        n_indicators = 0 if self._native else len(indicated)
        self.end_of_numbers = self.n_numbers + n_indicators
        self.categories = self._place(schema.categoricals)
        self._plain = self.width == self.n_numbers
        self._marks = marks_of(schema.missing)
        self._numeric_marks = frozenset(schema.missing_numbers)
        # Between these a number is there, held by nothing and told by nothing.
        self._lowest = np.maximum(self.low, self._least)
        self._highest = np.minimum(self.high, self._most)
        ladder = (self._lowest, self._highest, self.mean, self.inverse)
        self._ladder = list(zip(*(each.tolist() for each in ladder), strict=True))

    def _place(self, features: Sequence[Feature]) -> list[CategoryCodes]:
        placed = []
        start = self.end_of_numbers
        for feature in features:
            codes: dict[Value | None, int] = {
                value: code for code, value in enumerate(feature.categories)
            }
            for code, value in enumerate(feature.categories):
                # Models of earlier versions know categories by other spellings.
                codes.setdefault(category(value), code)
            width = len(feature.categories)
            missing = None
            if not feature.missing_indicator:
                missing = RowNote("missing_value", feature.name)
            elif not self._native:
                codes[None] = width
                width += 1
            unseen = RowNote("unseen_category", feature.name)
            placed.append(CategoryCodes(start, codes, unseen, missing))
            start += 1 if self._native else width
        return placed

    def encode(
        self,
        numbers: NDArray[np.float64],
        categories: Sequence[MutableSequence[Value | None]] = (),
    ) -> Encoded:
        """Encode rows that are split into their numbers and their categories.

        Parameters
        ----------
        numbers : ndarray of shape (n_rows, n_numbers)
            In the order of ``schema.numbers``; NaN is missing. Left unchanged.
        categories : sequence of columns
            In the order of ``schema.categoricals``, each of length n_rows. What turns
            out to be a mark for "no value" becomes None in them.
        """
        notes: dict[int, list[RowNote]] = {}
        inside = (numbers >= self._lowest) & (numbers <= self._highest)
        missing = None
        if np.count_nonzero(inside) == inside.size:  # then none is missing either
            values = numbers - self.mean
        else:
            missing = np.isnan(numbers)
            values = self._held(numbers, missing, notes) - self.mean
        values *= self.inverse
        if self._plain:
            return Encoded(values, notes)
        matrix = np.zeros((len(numbers), self.width))
        matrix[:, : self.n_numbers] = values
        if missing is not None and not self._native:
            matrix[:, self.n_numbers : self.end_of_numbers] = missing[:, self.indicated]
        for place, column in zip(self.categories, categories, strict=True):
            self._write(matrix, place, column, notes)
        return Encoded(matrix, notes)

    def _held(
        self,
        numbers: NDArray[np.float64],
        missing: NDArray[np.bool_],
        notes: dict[int, list[RowNote]],
    ) -> NDArray[np.float64]:
        """Return numbers within the reach of the training rows; note which were not."""
        if missing.any():
            self._note_missing(missing, notes)
            if not self._native:
                numbers = np.where(missing, self.impute, numbers)
        far = (numbers < self._least) | (numbers > self._most)
        for row, j in np.argwhere(far).tolist():
            notes.setdefault(row, []).append(self._far[j])
        # Held before the mean goes: the difference cannot overflow then.
        return np.minimum(np.maximum(numbers, self.low), self.high)

    def encode_one(self, cells: Sequence[Value | None]) -> list[float] | None:
        """Return what `encode` makes of one row; None where there is more to say.

        That is a row with a missing value, an unseen category or another spelling of
        one that was seen, or a number that is held.

        Parameters
        ----------
        cells : sequence
            The row's numbers, then its categories, in the order of the schema.
        """
        row = [0.0] * self.width
        place = 0
        if self._numeric_marks and not self._numeric_marks.isdisjoint(cells):
            return None
        for value, (low, high, mean, inverse) in zip(cells, self._ladder, strict=False):
            if value is None or not low <= value <= high:
                return None
            row[place] = (value - mean) * inverse
            place += 1
        for known, name in zip(self.categories, cells[place:], strict=True):
            code = known.codes.get(name) if name is not None else None
            if code is None:
                return None
            if self._native:
                row[known.start] = code
            else:
                row[known.start + code] = 1.0
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
        known: CategoryCodes,
        column: MutableSequence[Value | None],
        notes: dict[int, list[RowNote]],
    ) -> None:
        start, codes = known.start, known.codes
        for row, value in enumerate(column):
            code = codes.get(value)
            if code is None and value is not None:
                name = category(value)
                code = codes.get(name)
                if code is None and name in self._marks:
                    value = column[row] = None  # noqa: PLW2901 - as it reads from here on
                    code = codes.get(None)
            if code is None:
                note = known.missing if value is None else known.unseen
                if note is not None:
                    notes.setdefault(row, []).append(note)
                if self._native:
                    matrix[row, start] = np.nan
            elif self._native:
                matrix[row, start] = code
            else:
                matrix[row, start + code] = 1.0


def _or(values: Sequence[float | None], other: float) -> NDArray[np.float64]:
    """Return numbers, with another where there is none."""
    return np.array([other if v is None else v for v in values], dtype=np.float64)


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
