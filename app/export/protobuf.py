"""The few messages of ONNX that a graph of plain operators needs, as bytes.

A message is its fields one after the other: (number * 8 + type) as a varint, then the
value; texts, messages and packed lists have their length before them. The numbers are
those of onnx.proto3 (IR version 10).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["attribute", "message", "node", "tensor", "value_info"]

Field = tuple[int, Any]

BOOL, DOUBLE, FLOAT, INT8, INT64, STRING = 9, 11, 1, 3, 7, 8
TYPES = {
    "float64": DOUBLE,
    "float32": FLOAT,
    "int64": INT64,
    "int8": INT8,
    "uint8": 2,
    "bool": BOOL,
    "string": STRING,
}
"""The numbers of element types, by NumPy's names."""


def message(fields: Iterable[Field]) -> bytes:
    """Return a message of fields: whole numbers, texts, bytes or messages."""
    made = bytearray()
    for number, value in fields:
        if isinstance(value, int):
            made += _varint(number << 3) + _varint(value)
        else:
            content = value.encode() if isinstance(value, str) else value
            made += _varint(number << 3 | 2) + _varint(len(content)) + content
    return bytes(made)


def tensor(name: str, values: NDArray[Any]) -> bytes:
    """Return a TensorProto."""
    array = np.ascontiguousarray(values)
    fields: list[Field] = [(1, size) for size in array.shape]
    fields += [(2, TYPES[array.dtype.name]), (8, name)]
    return message(
        [*fields, (9, array.astype(array.dtype.newbyteorder("<")).tobytes())]
    )


def attribute(name: str, value: Any) -> bytes:
    """Return an AttributeProto of a number, a text, a tensor or a list of either."""
    if isinstance(value, np.ndarray):
        return message([(1, name), (5, tensor("", value)), (20, 4)])
    if isinstance(value, int):
        return message([(1, name), (3, value), (20, 2)])
    if isinstance(value, str):
        return message([(1, name), (4, value), (20, 3)])
    if value and isinstance(value[0], str):
        return message([(1, name), *((9, text) for text in value), (20, 8)])
    return message([(1, name), *((8, number) for number in value), (20, 7)])


def node(
    kind: str, inputs: Sequence[str], output: str, domain: str, **attributes: Any
) -> bytes:
    """Return a NodeProto with one output."""
    fields: list[Field] = [(1, name) for name in inputs]
    fields += [(2, output), (3, output), (4, kind), (7, domain)]
    return message([*fields, *((5, attribute(k, v)) for k, v in attributes.items())])


def value_info(name: str, kind: str, width: int) -> bytes:
    """Return a ValueInfoProto of a tensor of shape (n, width)."""
    shape = message([(1, message([(2, "n")])), (1, message([(1, width)]))])
    held = message([(1, TYPES[kind]), (2, shape)])
    return message([(1, name), (2, message([(1, held)]))])


def model(
    graph: Iterable[Field], opsets: Mapping[str, int], about: Mapping[str, str]
) -> bytes:
    """Return a ModelProto of the fields of its graph."""
    fields: list[Field] = [(1, 10), (2, "demur"), (7, message(graph))]
    fields += [(8, message([(1, k), (2, v)])) for k, v in opsets.items()]
    fields += [(14, message([(1, k), (2, v)])) for k, v in about.items()]
    return message(fields)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # a negative number is its two's complement
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    made.append(value)
    return bytes(made)
