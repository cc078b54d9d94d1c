"""Tensors of the Open Inference Protocol, as JSON and in the binary extension.

A binary tensor is its numbers in little endian, or for BYTES each text behind its
length in four bytes. All of a body stand behind its JSON, in the order of the inputs.
"""

import struct
from itertools import chain
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from app.errors import FieldError, InvalidRequestError
from app.errors.faults import unusable

__all__ = ["Tensor", "binary", "values_of"]

_LENGTH = struct.Struct("<I")
_MOST = 2**40

DTYPES = {
    "BOOL": "?",
    "UINT8": "<u1",
    "UINT16": "<u2",
    "UINT32": "<u4",
    "UINT64": "<u8",
    "INT8": "<i1",
    "INT16": "<i2",
    "INT32": "<i4",
    "INT64": "<i8",
    "FP16": "<f2",
    "FP32": "<f4",
    "FP64": "<f8",
}
"""How NumPy calls the datatypes that are numbers; the other one is BYTES."""

Values = NDArray[Any] | list[Any]


class Tensor(msgspec.Struct):
    """An input of a request."""

    name: str
    shape: list[int]
    datatype: str
    parameters: dict[str, Any] = {}
    data: Any | UnsetType = UNSET


def values_of(tensor: Tensor, i: int, raw: bytes | None) -> Values:
    """Return the values of input ``i`` in one dimension.

    Parameters
    ----------
    tensor : Tensor
    i : int
    raw : bytes or None
        Where it is binary.

    Raises
    ------
    InvalidRequestError
        When datatype, shape and data do not fit each other.
    """
    n = 1
    for size in tensor.shape:
        if not 0 <= size < _MOST:
            raise _wrong(i, "a size in the shape is negative, or too large")
        n *= size
    values: Values
    if tensor.datatype == "BYTES":
        values = _texts(raw, i) if raw is not None else _flat(tensor.data)
    elif tensor.datatype not in DTYPES:
        known = ", ".join(("BYTES", *DTYPES))
        raise _wrong(i, f"a datatype that is not known here; known are {known}")
    elif raw is not None:
        dtype = np.dtype(DTYPES[tensor.datatype])
        if len(raw) % dtype.itemsize:
            raise _wrong(i, "its bytes are no whole number of values")
        if tensor.datatype == "BOOL" and raw.strip(b"\0\1"):
            raise _wrong(i, "a value is none of BOOL: its bytes are 0 and 1")
        values = np.frombuffer(raw, dtype)
    else:
        values = _numbers(tensor, i)
    if len(values) != n:
        raise _wrong(i, f"the shape has {n} values, the data {len(values)}")
    return values


def binary(values: Values, datatype: str) -> bytes:
    """Return an output in the binary extension."""
    if datatype == "BYTES":
        texts = values.tolist() if isinstance(values, np.ndarray) else values
        packed = {text: _packed(text) for text in set(texts)}  # mostly few words
        return b"".join(map(packed.__getitem__, texts))
    return np.asarray(values, DTYPES[datatype]).tobytes()


def _packed(text: str) -> bytes:
    encoded = text.encode()
    return _LENGTH.pack(len(encoded)) + encoded


def _wrong(i: int, detail: str) -> InvalidRequestError:
    return unusable([FieldError(f"/inputs/{i}", detail)])


def _flat(data: Any) -> list[Any]:
    """Return nested lists as one."""
    flat = data if isinstance(data, list) else []
    while flat and all(isinstance(part, list) for part in flat):
        flat = list(chain.from_iterable(flat))
    return flat


def _numbers(tensor: Tensor, i: int) -> NDArray[Any]:
    flat = _flat(tensor.data)
    kinds: tuple[type, ...] = (int, float, type(None))
    if tensor.datatype == "BOOL":
        kinds = (bool, type(None))  # objects where one is missing: no numbers
    elif not tensor.datatype.startswith("FP"):
        kinds = (int,)
    if not {type(value) for value in flat} <= set(kinds):
        raise _wrong(i, f"a value is none of {tensor.datatype}")
    numbers: NDArray[Any]
    if tensor.datatype == "BOOL":
        return np.array(flat, object if None in flat else np.bool_)
    try:
        # None becomes NaN; a number that its datatype cannot hold is refused.
        numbers = np.array(flat, np.float64)
        if tensor.datatype in ("FP16", "FP32"):
            with np.errstate(over="ignore"):  # infinite, which no column takes
                numbers = numbers.astype(DTYPES[tensor.datatype])
        elif tensor.datatype[:3] in ("INT", "UIN"):
            numbers = np.array(flat, DTYPES[tensor.datatype])
    except OverflowError:
        raise _wrong(i, f"a value is out of the range of {tensor.datatype}") from None
    return numbers


def _texts(raw: bytes, i: int) -> list[str]:
    texts, at = [], 0
    try:
        while at < len(raw):
            (size,) = _LENGTH.unpack_from(raw, at)
            at += _LENGTH.size + size
            if at > len(raw):
                raise _wrong(i, "a text ends behind the bytes of its tensor")
            texts.append(raw[at - size : at].decode())
    except (struct.error, UnicodeDecodeError):
        raise _wrong(
            i, "its bytes are no texts in UTF-8, each behind its length"
        ) from None
    return texts
