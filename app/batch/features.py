"""The columns of a file as the rows of a model.

Every feature column has to be there, in any order and among any others. Its cells are
read by the rules of data sets, so a file is read alike for training and for use:
numbers, true and false, text; missing where it says so, or where the model has learnt
so. Typed files are taken at their word: text is no number, and a number a category
only where the model knows such.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.batch.cases import references_of
from app.batch.columns import check_free
from app.datasets.reading.arrow_sources import is_taken, is_text
from app.datasets.reading.facts import ColumnFacts
from app.datasets.reading.notations import notes_of, settle
from app.datasets.reading.sources import Batch
from app.datasets.reading.values import Reading
from app.errors import FieldError
from app.errors.faults import unusable
from app.features.feature import Feature
from app.features.schema import FeatureSchema
from app.features.values import Value, trimmed
from app.predict.rows import Rows

__all__ = ["FeatureColumns"]


class FeatureColumns:
    """Where a model's features stand in the files of one layout.

    Parameters
    ----------
    schema : FeatureSchema
    names : sequence of str
        The columns of the file.
    reading : Reading
    reference : str, optional
        The column that says what the caller calls the rows.

    Raises
    ------
    InvalidRequestError
        When one of these is missing, or a name is one that a batch adds.
    """

    def __init__(
        self,
        schema: FeatureSchema,
        names: Sequence[str],
        reading: Reading,
        reference: str | None = None,
    ) -> None:
        check_free(names)
        position = {name: j for j, name in enumerate(names)}
        self._reference = None if reference is None else trimmed(reference)
        wanted = schema.names if reference is None else (*schema.names, reference)
        missing = [name for name in wanted if trimmed(name) not in position]
        if missing:
            raise unusable(
                FieldError(
                    "/columns", "the column is missing from the file", column=name
                )
                for name in missing
            )
        self._reading = reading
        self._learnt = schema.notations
        self.notes: tuple[str, ...] = ()
        """What is to be said of how the numbers of a text file were read."""
        self._numbers, self._categories = schema.numbers, schema.categoricals
        features = (*self._numbers, *self._categories)
        known = [trimmed(feature.name) for feature in features]
        own = [] if self._reference is None else [self._reference]
        self.names = tuple(dict.fromkeys([*known, *own]))
        self._positions = [position[name] for name in self.names]

    @property
    def commas(self) -> bool:
        """Whether numbers are written with decimal commas."""
        written = self._reading.notations.values()
        return any(notation.decimal == "," for notation in written)

    def learn(self, batch: Batch) -> None:
        """See how numbers are written in a text file.

        Parameters
        ----------
        batch : Batch
            The file's first rows; its columns in the order of ``names``.

        Raises
        ------
        InvalidRequestError
            When those of a column may mean two things.
        """
        names = [f.name for f in self._numbers if f.type == "numeric"]
        facts = [ColumnFacts("numeric") for _ in names]
        for fact, cells in zip(facts, batch.columns, strict=False):
            fact.see_text(cells, self._reading.marks, batch.line_of)
        settle(names, facts, self._reading.options, self._learnt)
        self.notes = tuple(notes_of(names, facts))
        written = {n: f.notation for n, f in zip(names, facts, strict=True)}
        notations = {n: w for n, w in written.items() if w is not None}
        self._reading = replace(self._reading, notations=notations)

    def check_types(self, schema: pa.Schema) -> None:
        """Refuse a typed file whose columns are not of the model's types.

        Raises
        ------
        InvalidRequestError
            Naming every column that is not.
        """
        features = (*self._numbers, *self._categories)
        wrong = [
            FieldError(
                f"/columns/{j}",
                f"the column is {schema.field(j).type}, the model needs {feature.type}",
                column=feature.name,
            )
            for j, feature in zip(
                self._positions[: len(features)], features, strict=True
            )
            if not _fits(schema.field(j).type, feature)
        ]
        if wrong:
            raise unusable(wrong)

    def references(self, batch: Batch) -> list[str] | None:
        """Return what the caller calls the rows of such a batch.

        Raises
        ------
        InvalidRequestError
            With the place of the first cell that is no reference.
        """
        if self._reference is None:
            return None
        place = self.names.index(self._reference)
        return references_of(batch, place, self._reference)

    def rows(self, batch: Batch) -> Rows:
        """Return the rows of a batch that holds the columns of ``names`` alone.

        Parameters
        ----------
        batch : Batch
            Its columns in the order of ``names``.

        Raises
        ------
        InvalidRequestError
            With line, row and column of the first cell that is not as it must be.
        """
        n = len(batch.columns[0]) if batch.columns else 0
        numbers = np.empty((n, len(self._numbers)))
        for j, feature in enumerate(self._numbers):
            column = self._column(batch, j, feature)
            if feature.type == "boolean":
                column = pc.cast(pc.cast(column, pa.int8()), pa.float64())
            numbers[:, j] = column.to_numpy(zero_copy_only=False)
        categories: list[list[Value | None]] = [
            self._column(batch, j, feature).to_pylist()
            for j, feature in enumerate(self._categories, len(self._numbers))
        ]
        return Rows(numbers, categories)

    def _column(self, batch: Batch, j: int, feature: Feature) -> pa.Array:
        position = self._positions[j]
        return self._reading.column(
            batch, j, feature.name, feature.type, position=position
        )


def _fits(kind: pa.DataType, feature: Feature) -> bool:
    """Tell whether the type of a file's column is that of a feature."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_null(kind):
        return True
    if not is_taken(kind):  # nested, binary, durations
        return False
    if pa.types.is_boolean(kind):
        return feature.takes("boolean")
    if is_text(kind) or pa.types.is_temporal(kind):
        return feature.type == "categorical"
    return feature.takes("numeric")
