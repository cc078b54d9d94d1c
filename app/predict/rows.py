"""Typed rows of one model: the second stage of decoding.

A model's columns become a struct (rows as objects) or a tuple (rows as lists) that the
decoder checks while it reads: every key, every type, finite numbers. ``null`` is a
missing value. Numbers are exact doubles; nothing is converted from text. Models with
very many columns read dictionaries instead (``app.predict.wide``).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from types import GenericAlias
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from app.errors import FieldError
from app.errors.faults import unusable
from app.features.schema import FeatureSchema
from app.features.values import Value, trimmed
from app.predict.cells import cell_type
from app.predict.wide import Tuples, wide_rows

__all__ = ["RowReader", "RowReaders", "Rows"]

_MOST_LAYOUTS = 32
"""Orders of columns whose decoders are kept."""

_WIDE = 128
"""Columns above which a dictionary is read faster than a struct."""

_MOST_EXTRA = 1000
"""Columns of a table that may be passed over; wider ones are a mistake."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Decoded rows, split as the encoder takes them.

    Parameters
    ----------
    numbers : ndarray of shape (n_rows, n_numbers)
        NaN is missing.
    categories : list of columns
    """

    numbers: NDArray[np.float64]
    categories: list[list[Value | None]]


@dataclass(frozen=True, slots=True)
class RowReader:
    """Read rows of one layout.

    Parameters
    ----------
    decoder : msgspec decoder of a list of rows
    tuples : callable
        Decoded rows to tuples: the model's numbers, then its categories.
    n_numbers, n_categories : int
    missing : tuple of float
        Numbers that mean "no value".
    """

    decoder: "msgspec.json.Decoder[list[Any]]"
    tuples: Tuples
    n_numbers: int
    n_categories: int
    missing: tuple[float, ...]

    def read(self, raw: bytes | msgspec.Raw) -> Rows:
        """Return the rows of a JSON array; raises what `decode` and `split` do."""
        return self.split(self.decode(raw))

    def decode(self, raw: bytes | msgspec.Raw) -> list[Any]:
        """Return the rows of a JSON array as the decoder makes them.

        Raises
        ------
        msgspec.DecodeError, UnicodeDecodeError, RecursionError
            When any row is not as the model needs it.
        """
        return self.decoder.decode(raw)

    def cells(self, decoded: list[Any]) -> tuple[Any, ...]:
        """Return the first row's numbers, then its categories; raises as `split`."""
        return next(iter(self.tuples(decoded)))

    def split(self, decoded: list[Any]) -> Rows:
        """Return decoded rows as the encoder takes them.

        Raises
        ------
        ValueError
            When a row is not as the model needs it after all.
        """
        n, k = len(decoded), self.n_numbers
        tuples = self.tuples(decoded)
        if not self.n_categories:
            return Rows(self._numbers(tuples, n, k), [])
        rows = list(tuples)
        numbers = self._numbers((row[:k] for row in rows), n, k)
        categories = [[row[j] for row in rows] for j in range(k, k + self.n_categories)]
        return Rows(numbers, categories)

    def _numbers(
        self, rows: Iterable[tuple[float | bool | None, ...]], n: int, k: int
    ) -> NDArray[np.float64]:
        # NumPy makes NaN of None, 1 of True, and takes a double as it is.
        cells = chain.from_iterable(rows)
        try:
            numbers = np.fromiter(cells, np.float64, n * k).reshape(n, k)
        except OverflowError:
            msg = "a whole number is out of range"
            raise ValueError(msg) from None
        if self.missing:
            numbers[np.isin(numbers, self.missing)] = np.nan
        return numbers


class RowReaders:
    """The readers of one model.

    Parameters
    ----------
    schema : FeatureSchema
    """

    def __init__(self, schema: FeatureSchema) -> None:
        self._features = (*schema.numbers, *schema.categoricals)
        self._counts = (len(schema.numbers), len(schema.categoricals))
        self._missing = schema.missing_numbers
        self.names = {trimmed(feature.name): feature.name for feature in self._features}
        """The model's columns by their trimmed names."""
        self.colons = sum(1 + feature.name.count(":") for feature in self._features)
        """In a row as an object, where no category has one."""
        self._objects = {ignore: self._for_objects(ignore) for ignore in (False, True)}
        self._layouts: dict[tuple[tuple[str, ...], bool], RowReader] = {}

    def objects(self, *, ignore_extra: bool) -> RowReader:
        """Return the reader of rows as objects."""
        return self._objects[ignore_extra]

    def lists(self, columns: Sequence[str], *, ignore_extra: bool) -> RowReader:
        """Return the reader of rows as lists under these columns.

        Raises
        ------
        InvalidRequestError
            When a column is missing, unknown (unless ignored) or given twice.
        """
        key = (tuple(columns), ignore_extra)
        if key not in self._layouts:
            names = self.named(columns)
            self._check(names, ignore_extra)
            if len(self._layouts) >= _MOST_LAYOUTS:
                del self._layouts[next(iter(self._layouts))]
            self._layouts[key] = self._for_lists(names)
        return self._layouts[key]

    def named(self, columns: Iterable[str]) -> list[str]:
        """Return columns by the model's names for them, others as they are."""
        return [self.names.get(trimmed(name), name) for name in columns]

    def _for_objects(self, ignore_extra: bool) -> RowReader:
        if len(self._features) > _WIDE:
            decoder, tuples = wide_rows(self._features, ignore_extra=ignore_extra)
            return RowReader(decoder, tuples, *self._counts, self._missing)
        fields = [
            (f"column_{i}", cell_type(feature))
            for i, feature in enumerate(self._features)
        ]
        names = {f"column_{i}": f.name for i, f in enumerate(self._features)}
        row = msgspec.defstruct(
            "Row",
            fields,
            rename=names,
            forbid_unknown_fields=not ignore_extra,
            gc=False,
        )
        structs = msgspec.json.Decoder(list[row])  # type: ignore[valid-type]
        return RowReader(
            structs, lambda rows: map(astuple, rows), *self._counts, self._missing
        )

    def _for_lists(self, columns: Sequence[str]) -> RowReader:
        types = {f.name: cell_type(f) for f in self._features}
        cells = tuple(types.get(name, Any) for name in columns)
        row: Any = GenericAlias(tuple, cells)
        decoder = msgspec.json.Decoder(list[row])
        place = {name: j for j, name in enumerate(columns)}
        order = [place[feature.name] for feature in self._features]
        tuples = _reordered(order, len(columns))
        return RowReader(decoder, tuples, *self._counts, self._missing)

    def _check(self, columns: Sequence[str], ignore_extra: bool) -> None:
        if len(columns) > len(self._features) + _MOST_EXTRA:
            detail = f"at most {_MOST_EXTRA} columns beside the model's are passed over"
            raise unusable([FieldError("/data/columns", detail)])
        names = set(columns)
        faults = [
            FieldError("/data/columns", "the column is missing", column=feature.name)
            for feature in self._features
            if feature.name not in names
        ]
        seen: set[str] = set()
        for j, name in enumerate(columns):
            pointer = f"/data/columns/{j}"
            if name in seen:
                faults.append(FieldError(pointer, "the column is given twice"))
            elif name not in self.names.values() and not ignore_extra:
                detail = (
                    "the model has no such column; leave it out, or say"
                    ' "extra_columns": "ignore"'
                )
                faults.append(FieldError(pointer, detail, column=name[:200]))
            seen.add(name)
        if faults:
            raise unusable(faults)


def _reordered(order: list[int], width: int) -> Tuples:
    if order == list(range(width)):
        return lambda rows: rows
    if len(order) == 1:
        (only,) = order
        return lambda rows: [(row[only],) for row in rows]
    pick = itemgetter(*order)
    return lambda rows: map(pick, rows)
