"""A model as one ONNX graph of standard operators, a typed input a column.

Numbers and booleans are tensors [n, 1] of the graph's precision (NaN is missing),
categories are strings ("" is missing). The outputs are those of the convention for
rejects in inference protocols (docs/reject-convention.md).
"""

import json
from collections.abc import Iterable
from functools import partial

from app.export import protobuf
from app.export.description import Description
from app.export.onnx_graph import Graph
from app.export.onnx_steps import STEPS
from app.export.precision import Precision
from app.features.values import category

__all__ = ["onnx_file"]

_OPSETS = {"": 18, "ai.onnx.ml": 5}
_NUMBERS = ("probability", "score", "expected_cost")
_COSTS = ("cost_positive", "cost_negative", "cost_reject")


def onnx_file(model: Description, precision: Precision) -> bytes:
    """Return the file; the precision is that of inputs and outputs too."""
    graph = Graph(model, precision)
    for step in model.steps:
        STEPS[step["do"]](graph, step)
    outputs = dict(_outputs(graph, model))
    for name, (value, _, _) in outputs.items():
        graph.op("Identity", [value], name)
    fields = [(1, node) for node in graph.nodes]
    fields += [(2, b"demur"), *((5, one) for one in graph.constants)]
    fields += [
        (11, protobuf.value_info(graph.inputs[c.name], kind, 1))
        for c in model.columns
        for kind in ["string" if c.type == "categorical" else precision]
    ]
    fields += [
        (12, protobuf.value_info(name, kind, width))
        for name, (_, kind, width) in outputs.items()
    ]
    about = {
        "reject_option": "1",
        "labels": json.dumps(dict(model.labels)),
        "inputs": json.dumps(graph.inputs),
        "notes": "\n".join(model.notes()),
        **{name: json.dumps(value) for name, value in model.about.items()},
    }
    return protobuf.model(fields, _OPSETS, about)


def _outputs(
    graph: Graph, model: Description
) -> Iterable[tuple[str, tuple[str, str, int]]]:
    """Yield each output with its value, type and width."""
    code = graph.values["decision"]
    worded = partial(
        graph.op, "LabelEncoder", [code], domain="ai.onnx.ml", keys_int64s=[1, -1, 0]
    )
    labels = [category(model.labels[name]) for name in ("positive", "negative")]
    yield "decision", (worded(values_strings=["+1", "-1", "reject"]), "string", 1)
    yield "label", (worded(values_strings=[*labels, ""]), "string", 1)
    rejected = graph.op("Equal", [code, graph.nothing()])
    yield "reject", (rejected, "bool", 1)
    for name in _NUMBERS:
        if name in graph.values:
            yield name, (graph.values[name], graph.precision, 1)
    short = graph.op("Cast", [code], to=protobuf.INT8)
    yield "decision_code", (short, "int8", 1)
    if set(_COSTS) <= graph.values.keys():
        beside = [graph.values[name] for name in _COSTS]
        costs = graph.op("Concat", beside, axis=1)
        yield "costs", (costs, graph.precision, len(_COSTS))
