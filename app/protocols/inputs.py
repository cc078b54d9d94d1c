"""Tensors become the rows of a model: by name, or as one table in its own order.

Beside them may stand what the caller calls the rows, for their cases.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError, InvalidRequestError
from app.errors.faults import unusable
from app.features.feature import Feature
from app.predict.ready_model import ReadyModel
from app.predict.rows import Rows
from app.protocols.tensors import Tensor, Values
from app.reviews.intake import check_references

__all__ = ["REFERENCES", "columns_of", "read_inputs", "rows_of"]

REFERENCES = "case_reference"


def read_inputs(
    ready: ReadyModel, inputs: Sequence[Tensor], values: Sequence[Values]
) -> tuple[Rows, list[str] | None]:
    """Return the rows of a request, and what its sender calls them.

    A column of the model that is called as references are is that column.

    Raises
    ------
    InvalidRequestError
        When the tensors are no rows of the model, or the references none of theirs.
    """
    at = [i for i, tensor in enumerate(inputs) if tensor.name == REFERENCES]
    if not at or REFERENCES in ready.schema.names:
        return rows_of(ready, columns_of(ready, inputs, values)), None
    kept = [i for i in range(len(inputs)) if i != at[0]]
    tensors, columns = [inputs[i] for i in kept], [values[i] for i in kept]
    rows = rows_of(ready, columns_of(ready, tensors, columns))
    return rows, _references(at[0], inputs[at[0]], values[at[0]], len(rows.numbers))


def _references(i: int, tensor: Tensor, values: Values, n: int) -> list[str]:
    where = f"/inputs/{i}"
    if tensor.shape not in ([n], [n, 1]) or not isinstance(values, list):
        detail = f"references are BYTES of the shape [{n}] or [{n}, 1]: one a row"
        raise unusable([FieldError(where, detail)])
    for row, reference in enumerate(values):
        if not isinstance(reference, str):
            detail = "a reference is a text"
            raise unusable([FieldError(where, detail, row=row)])
    check_references(values, where)
    return values


def columns_of(
    ready: ReadyModel, inputs: Sequence[Tensor], values: Sequence[Values]
) -> dict[str, Values]:
    """Return the values of each column of the model.

    Raises
    ------
    InvalidRequestError
        When a column is missing, unknown or given twice, or the lengths differ.
    """
    names = ready.schema.names
    if len(inputs) == 1 and len(inputs[0].shape) == 2:
        n, width = inputs[0].shape
        if width == len(names) and inputs[0].datatype != "BYTES":
            table = np.asarray(values[0]).reshape(n, width)
            return {name: table[:, j] for j, name in enumerate(names)}
    columns: dict[str, Values] = {}
    faults = []
    named = ready.readers.named(tensor.name for tensor in inputs)
    rows = inputs[0].shape[0] if inputs and inputs[0].shape else 0
    for i, (name, tensor) in enumerate(zip(named, inputs, strict=True)):
        where = f"/inputs/{i}"
        if name not in names:
            fault = "the model has no such column; one tensor of all has"
            detail = f"{fault} the shape [n, {len(names)}]"
            faults.append(FieldError(where, detail, column=tensor.name[:200]))
        elif name in columns:
            faults.append(FieldError(where, "the column is given twice", column=name))
        elif tensor.shape not in ([rows], [rows, 1]):
            detail = "a tensor a column has the shape [n] or [n, 1], n the same in all"
            faults.append(FieldError(where, detail, column=name))
        else:
            columns[name] = values[i]
    faults += [
        FieldError("/inputs", "the column is missing", column=name)
        for name in names
        if name not in named
    ]
    if faults:
        raise unusable(faults)
    return columns


def rows_of(ready: ReadyModel, columns: Mapping[str, Values]) -> Rows:
    """Return columns as the encoder takes them.

    Raises
    ------
    InvalidRequestError
        When a value is of another type than its column, or not finite.
    """
    schema = ready.schema
    numbers = [_numbers(feature, columns[feature.name]) for feature in schema.numbers]
    n = len(next(iter(columns.values())))
    table = np.empty((n, len(numbers)))
    for j, column in enumerate(numbers):
        table[:, j] = column
    if np.isinf(table).any():
        row, j = np.argwhere(np.isinf(table))[0].tolist()
        raise _unfit(schema.numbers[j], "holds a number that is not finite", row)
    if marks := schema.missing_numbers:
        table[np.isin(table, marks)] = np.nan
    return Rows(table, [_texts(f, columns[f.name]) for f in schema.categoricals])


def _numbers(feature: Feature, values: Values) -> NDArray[np.float64]:
    if isinstance(values, list):
        raise _unfit(feature, "is numbers, not BYTES")
    if feature.type == "numeric" and _boolean(values):
        raise _unfit(feature, "is numbers, not BOOL")
    # An overflow is infinite, which is refused with all columns together.
    with np.errstate(over="ignore"):
        numbers = np.asarray(values, np.float64)
    if feature.type == "boolean":
        other = ~(np.isnan(numbers) | (numbers == 0) | (numbers == 1))
        if other.any():
            row = int(np.flatnonzero(other)[0])
            raise _unfit(feature, "is BOOL, or 0, 1 and NaN", row)
    return numbers


def _boolean(values: NDArray[Any]) -> bool:
    """Tell whether values are BOOL; as objects, some of them missing."""
    return values.dtype in (np.bool_, np.object_)


def _texts(feature: Feature, values: Values) -> list[Any]:
    if not isinstance(values, list):
        return _coded(feature, values)
    texts = [None if text == "" else text for text in values]
    for row, text in enumerate(texts):
        if not isinstance(text, str | None):
            raise _unfit(feature, "is BYTES: each value a text", row)
    return texts


def _coded(feature: Feature, values: NDArray[Any]) -> list[Any]:
    """Return numbers or booleans as categories, where the model knows such."""
    if not feature.takes("boolean" if _boolean(values) else "numeric"):
        raise _unfit(feature, "is BYTES")
    listed = values.tolist()
    return [None if value != value else value for value in listed]  # noqa: PLR0124


def _unfit(
    feature: Feature, detail: str, row: int | None = None
) -> InvalidRequestError:
    detail_of_column = f"the column {detail}"
    return unusable(
        [FieldError("/inputs", detail_of_column, row=row, column=feature.name)]
    )
