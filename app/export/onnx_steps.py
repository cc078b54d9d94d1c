"""The steps of a description in ONNX; see `app.export.description` for what each does.

Only operators that compute in float64 are used: MatMul, Exp and the like, and of
ai.onnx.ml TreeEnsemble (version 5) and LabelEncoder. SVMRegressor and the older tree
operators are of float32 by their specification.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from app.export.description import Step, entered_in
from app.export.onnx_graph import Graph
from app.export.onnx_trees import trees
from app.export.precision import most_odds

__all__ = ["STEPS"]


STEPS: dict[str, Callable[[Graph, Step], None]] = {"trees": trees}
"""How each kind of step is written."""
_step = entered_in(STEPS)


@_step
def _encode(graph: Graph, step: Step) -> None:
    columns, native = graph.model.columns, step["native"]
    parts = []
    if step["numbers"]:
        named = [graph.inputs[columns[j].name] for j in step["numbers"]]
        plain, rest = named[: step["plain_numbers"]], named[step["plain_numbers"] :]
        if plain:
            read = graph.op("Concat", plain, axis=1)
            for mark in step["marks"]:
                marked = graph.with_number("Equal", read, mark)
                read = graph.op("Where", [marked, graph.number(np.nan), read])
            rest = [read, *rest]
        values = graph.op("Concat", rest, axis=1)
        missing = graph.op("IsNaN", [values])
        if not native:
            stand_ins = graph.number(step["impute"])
            values = graph.op("Where", [missing, stand_ins, values])
            values = graph.held(values, step["low"], step["high"])
        values = graph.op("Sub", [values, graph.number(step["mean"])])
        parts.append(graph.op("Mul", [values, graph.number(step["inverse"])]))
        if step["indicated"]:
            chosen = graph.constant(np.array(step["indicated"], dtype=np.int64))
            marked = graph.cast(missing)
            parts.append(graph.op("Gather", [marked, chosen], axis=1))
    for each in step["categories"]:
        column = columns[each["column"]]
        missing_code = each["width"] if each["missing"] else -2
        codes = dict.fromkeys(graph.model.marks, missing_code) | dict(column.codes)
        code = graph.op(
            "LabelEncoder",
            [graph.inputs[column.name]],
            domain="ai.onnx.ml",
            keys_strings=list(codes),
            values_int64s=list(codes.values()),
            default_int64=-1,
        )
        if native:
            unknown = graph.op("Less", [code, graph.nothing()])
            known = graph.cast(code)
            parts.append(graph.op("Where", [unknown, graph.number(np.nan), known]))
            continue
        width = each["width"] + each["missing"]
        places = graph.constant(np.arange(width, dtype=np.int64)[np.newaxis])
        parts.append(graph.cast(graph.op("Equal", [code, places])))
    graph.values["x"] = graph.op("Concat", parts, axis=1)


@_step
def _linear(graph: Graph, step: Step) -> None:
    weights = graph.constant(step["weights"].astype(graph.real)[:, np.newaxis])
    product = graph.op("MatMul", [graph.values["x"], weights])
    graph.values[step["to"]] = graph.with_number("Add", product, step["offset"])


@_step
def _kernel(graph: Graph, step: Step) -> None:
    gamma, vectors, x = step["gamma"], step["vectors"], graph.values["x"]
    if step["kind"] == "rbf":
        # -gamma |x - s|^2 by products, of rows that were moved by the centre.
        x = graph.op("Sub", [x, graph.number(step["centre"])])
        ones = graph.constant(np.full((vectors.shape[1], 1), -gamma, graph.real))
        squares = graph.op("MatMul", [graph.op("Mul", [x, x]), ones])
        vectors, offset = 2.0 * vectors, -gamma * (vectors**2).sum(1)
    else:
        offset = np.full(len(vectors), step["coef0"])
    turned = graph.constant((gamma * vectors.T).astype(graph.real))
    values = graph.op("MatMul", [x, turned])
    values = graph.op("Add", [values, graph.number(offset)])
    if step["kind"] == "rbf":
        values = graph.op("Exp", [graph.op("Add", [values, squares])])
    elif step["kind"] == "sigmoid":
        values = graph.op("Tanh", [values])
    else:
        values = graph.with_number("Pow", values, step["degree"])
    weights = graph.constant(step["coefficients"].astype(graph.real)[:, np.newaxis])
    product = graph.op("MatMul", [values, weights])
    graph.values[step["to"]] = graph.with_number("Add", product, step["offset"])


@_step
def _column(graph: Graph, step: Step) -> None:
    x = graph.values["x"]
    stand_in, missing = graph.number(step["stand_in"]), graph.op("IsNaN", [x])
    graph.values[step["to"]] = graph.op("Where", [missing, stand_in, x])


@_step
def _logit(graph: Graph, step: Step) -> None:
    clip = step["clip"]
    p = graph.held(graph.values[step["from"]], clip, 1.0 - clip)
    odds = [graph.op("Log", [p]), graph.op("Log", [_rest(graph, p)])]
    graph.values[step["to"]] = graph.op("Sub", odds)


def _rest(graph: Graph, p: str) -> str:
    return graph.op("Sub", [graph.number(1.0), p])


@_step
def _affine(graph: Graph, step: Step) -> None:
    scaled = graph.with_number("Mul", graph.values[step["from"]], step["slope"])
    graph.values[step["to"]] = graph.with_number("Add", scaled, step["offset"])


@_step
def _clip(graph: Graph, step: Step) -> None:
    most = step["most"]
    graph.values[step["to"]] = graph.held(graph.values[step["from"]], -most, most)


@_step
def _interp(graph: Graph, step: Step) -> None:
    knots, heights = step["knots"], step["heights"]
    width = np.diff(knots)
    slopes = np.diff(heights) / np.where(width > 0.0, width, 1.0)
    v = graph.values[step["from"]]
    reached = graph.op("LessOrEqual", [graph.number(knots), v])
    one = graph.constant(np.ones(1, dtype=np.int64))
    reached = graph.cast(reached, "int64")
    place = graph.op("ReduceSum", [reached, one], keepdims=1)

    def of_piece(first: float, values: Any) -> str:
        bounded = np.concatenate(([first], values)).astype(graph.real)
        return graph.op("Gather", [graph.constant(bounded), place])

    begins, height = of_piece(knots[0], knots), of_piece(heights[0], heights)
    slope = of_piece(0.0, np.append(slopes, 0.0))
    risen = graph.op("Mul", [graph.op("Sub", [v, begins]), slope])
    graph.values[step["to"]] = graph.op("Add", [height, risen])


@_step
def _sum(graph: Graph, step: Step) -> None:
    terms = [
        graph.with_number("Mul", graph.values[name], weight)
        for weight, name in zip(step["weights"], step["from"], strict=True)
    ]
    graph.values[step["to"]] = graph.op("Sum", terms)


@_step
def _odds(graph: Graph, step: Step) -> None:
    h, r = (graph.values[name] for name in step["from"])
    if step["logistic"]:
        lower = graph.op("Sub", [graph.op("Neg", [h]), r])
        both = [_softplus(graph, v) for v in (graph.op("Sub", [h, r]), lower)]
        odds = graph.op("Sub", both)
    else:
        odds = graph.with_number("Mul", h, 2.0)
    graph.values[step["to"]] = graph.with_number("Sub", odds, step["offset"])


def _softplus(graph: Graph, v: str) -> str:
    small = graph.op("Exp", [graph.op("Neg", [graph.op("Abs", [v])])])
    rest = graph.op("Log", [graph.with_number("Add", small, 1.0)])
    return graph.op("Add", [graph.with_number("Max", v, 0.0), rest])


@_step
def _logistic(graph: Graph, step: Step) -> None:
    most = most_odds(step["most"], graph.precision)
    odds = graph.held(graph.values[step["from"]], -most, most)
    small = graph.op("Exp", [graph.op("Neg", [odds])])
    below = graph.with_number("Add", small, 1.0)
    graph.values[step["to"]] = graph.op("Div", [graph.number(1.0), below])


def _decided(graph: Graph, positive: str, negative: str, accepted: str) -> str:
    signs = [graph.cast(sign, "int64") for sign in (positive, negative)]
    sign = graph.op("Sub", signs)
    return graph.op("Where", [accepted, sign, graph.nothing()])


def _finite(graph: Graph) -> str:
    size = graph.op("Abs", [graph.values["score"]])
    return graph.with_number("Less", size, np.inf)


@_step
def _band(graph: Graph, step: Step) -> None:
    v = graph.values[step["from"]]
    above = "GreaterOrEqual" if step["closed"] else "Greater"
    positive = graph.with_number(above, v, step["upper"])
    negative = graph.with_number("Less", v, step["lower"])
    decided = _decided(graph, positive, negative, _finite(graph))
    graph.values["decision"] = decided


@_step
def _pair(graph: Graph, step: Step) -> None:
    h, r = (graph.values[name] for name in step["from"])
    positive = graph.with_number("Greater", h, 0.0)
    accepts = graph.with_number("Greater", r, 0.0)
    accepted = graph.op("And", [accepts, _finite(graph)])
    negative = graph.op("Not", [positive])
    graph.values["decision"] = _decided(graph, positive, negative, accepted)


@_step
def _costs(graph: Graph, step: Step) -> None:
    p = graph.values["probability"]
    q = _rest(graph, p)
    priced = [
        graph.with_number("Mul", q, step["false_positive"]),
        graph.with_number("Mul", p, step["false_negative"]),
        graph.op(
            "Add",
            [
                graph.with_number("Mul", p, step["reject_positive"]),
                graph.with_number("Mul", q, step["reject_negative"]),
            ],
        ),
    ]
    code = graph.values["decision"]
    nothing = graph.nothing()
    decided = [graph.op(kind, [code, nothing]) for kind in ("Greater", "Less")]
    taken = graph.op("Where", [decided[1], priced[1], priced[2]])
    taken = graph.op("Where", [decided[0], priced[0], taken])
    graph.values.update(zip(step["to"], [*priced, taken], strict=True))
