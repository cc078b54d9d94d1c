"""The columns of a file as the rows of a model.

Every feature column has to be there, in any order and among any others. Its cells are
read by the rules of data sets, so a file is read alike for training and for use:
numbers, true and false, text; missing where it says so. Typed files are taken at
their word: text is no number, a number no category.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.batch.columns import check_free
from app.datasets.reading.arrow_sources import is_text
from app.datasets.reading.sources import Batch
from app.datasets.reading.values import Reading
from app.errors import FieldError
from app.features.faults import unusable
from app.features.schema import Feature, FeatureSchema
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

    Raises
    ------
    InvalidRequestError
        When a feature is missing, or a name is one that a batch adds.
    """

    def __init__(
        self, schema: FeatureSchema, names: Sequence[str], reading: Reading
    ) -> None:
        check_free(names)
        missing = [name for name in schema.names if name not in names]
        if missing:
            raise unusable(
                FieldError(
                    "/columns", "the column is missing from the file", column=name
                )
                for name in missing
            )
        self._reading = reading
        self._numbers, self._categories = schema.numbers, schema.categoricals
        features = (*self._numbers, *self._categories)
        self.names = tuple(feature.name for feature in features)
        position = {name: j for j, name in enumerate(names)}
        self._positions = [position[name] for name in self.names]

    def check_types(self, schema: pa.Schema) -> None:
        """Refuse a typed file whose columns are not of the model's types.

        Raises
        ------
        InvalidRequestError
            Naming every column that is not.
        """
        wrong = [
            FieldError(
                f"/columns/{schema.get_field_index(feature.name)}",
                f"the column is {schema.field(feature.name).type}, the model needs"
                f" {feature.type}",
                column=feature.name,
            )
            for feature in (*self._numbers, *self._categories)
            if not _fits(schema.field(feature.name).type, feature)
        ]
        if wrong:
            raise unusable(wrong)

    def rows(self, batch: Batch) -> Rows:
        """Return the rows of a batch that holds the feature columns alone.

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
        categories = [
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
    if feature.type == "boolean":
        return bool(pa.types.is_boolean(kind))
    if pa.types.is_integer(kind):
        return True  # those that no float64 holds were text to training as well
    if feature.type == "numeric":
        return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))
    return bool(is_text(kind) or pa.types.is_temporal(kind))
