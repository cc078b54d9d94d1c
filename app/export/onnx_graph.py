"""What an ONNX graph is made of: named nodes, constants, and the values of steps."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.export import protobuf
from app.export.description import Description
from app.export.precision import Precision, held

__all__ = ["Graph"]

OUTPUTS = (
    "decision",
    "label",
    "reject",
    "probability",
    "score",
    "expected_cost",
    "decision_code",
    "costs",
)


class Graph:
    """The parts of one graph; each value is a tensor [n, 1], x is [n, d]."""

    def __init__(self, model: Description, precision: Precision) -> None:
        self.model, self.precision = model, precision
        self.inputs = {
            c.name: f"{c.name} (column)" if c.name in OUTPUTS else c.name
            for c in model.columns
        }
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []
        self.values: dict[str, str] = {}
        self.real = np.dtype(precision)
        self._count = 0

    def constant(self, values: Any) -> str:
        """Add an array as it is; return its name."""
        name = self._name("constant")
        self.constants.append(protobuf.tensor(name, np.asarray(values)))
        return name

    def number(self, values: Any) -> str:
        """Add numbers in the graph's precision, shape (1, k); return their name."""
        row = np.atleast_2d(held(values, self.precision))
        return self.constant(row.astype(self.real))

    def nothing(self) -> str:
        """Add the whole number 0, shape (1, 1): the code of a reject."""
        return self.constant(np.zeros((1, 1), dtype=np.int64))

    def op(
        self,
        kind: str,
        inputs: Sequence[str],
        output: str | None = None,
        domain: str = "",
        **attributes: Any,
    ) -> str:
        """Add a node; return the name of its output."""
        output = output or self._name(kind)
        self.nodes.append(protobuf.node(kind, inputs, output, domain, **attributes))
        return output

    def with_number(self, kind: str, value: str, number: float) -> str:
        """Add an operation of a value and a number."""
        return self.op(kind, [value, self.number(number)])

    def cast(self, value: str, kind: str | None = None) -> str:
        """Add a change of type, to the graph's precision where none is named."""
        return self.op("Cast", [value], to=protobuf.TYPES[kind or self.precision])

    def held(self, value: str, least: Any, most: Any) -> str:
        """Add bounds."""
        above = self.op("Max", [value, self.number(least)])
        return self.op("Min", [above, self.number(most)])

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"demur/{kind}/{self._count}"
