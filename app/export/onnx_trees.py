"""Trees in ONNX: TreeEnsemble of ai.onnx.ml 5, the one that computes in float64."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.export.description import Step
from app.export.onnx_graph import Graph
from app.export.precision import rounded_down

__all__ = ["trees"]

_LEQ, _MEMBER = 0, 6
_SUM = 1


def trees(graph: Graph, step: Step) -> None:
    """Add one ensemble for each value that a leaf gives."""
    leaves = np.flatnonzero(np.asarray(step["left"]) < 0)
    attributes = _attributes(graph, step, leaves)
    for k, name in enumerate(step["to"]):
        base = graph.number(step["base"][k])
        if len(step["roots"]) == 0:
            first = graph.op("ReduceSum", [graph.values["x"]], keepdims=1)
            nothing = graph.with_number("Mul", first, 0.0)
            graph.values[name] = graph.op("Add", [nothing, base])
            continue
        weights = np.asarray(step["values"])[leaves, k].astype(graph.real)
        sums = graph.op(
            "TreeEnsemble",
            [graph.values["x"]],
            domain="ai.onnx.ml",
            leaf_weights=weights,
            **attributes,
        )
        graph.values[name] = graph.op("Add", [sums, base])


def _attributes(graph: Graph, step: Step, leaves: NDArray[np.intp]) -> dict[str, Any]:
    """Return the attributes of an ensemble but for the weights of its leaves."""
    left, right = np.asarray(step["left"]), np.asarray(step["right"])
    leaf = left < 0
    inner = np.flatnonzero(~leaf)
    place = np.zeros(len(left), dtype=int)
    place[inner], place[leaves] = np.arange(len(inner)), np.arange(len(leaves))
    roots, ways = place[step["roots"]], [left[inner], right[inner]]
    # A tree that is one leaf has a node above it, which leads there both ways.
    alone = np.asarray(step["roots"])[leaf[step["roots"]]]
    roots[leaf[step["roots"]]] = len(inner) + np.arange(len(alone))
    ways = [np.concatenate((way, alone)).astype(int) for way in ways]
    nodes = {
        name: np.concatenate((np.asarray(step[name])[inner], np.full(len(alone), fill)))
        for name, fill in (
            ("feature", 0),
            ("threshold", 0.0),
            ("category", -1),
            ("missing_left", 0),
        )
    }
    member = nodes["category"] >= 0
    sets = [[*step["sets"][int(k)], np.nan] for k in nodes["category"][member]]
    attributes: dict[str, Any] = {
        "nodes_featureids": nodes["feature"].astype(int).tolist(),
        "nodes_modes": np.where(member, _MEMBER, _LEQ).astype(np.uint8),
        "nodes_splits": rounded_down(nodes["threshold"], graph.precision).astype(
            graph.real
        ),
        "nodes_missing_value_tracks_true": nodes["missing_left"].astype(int).tolist(),
        "nodes_truenodeids": place[ways[0]].tolist(),
        "nodes_trueleafs": leaf[ways[0]].astype(int).tolist(),
        "nodes_falsenodeids": place[ways[1]].tolist(),
        "nodes_falseleafs": leaf[ways[1]].astype(int).tolist(),
        "tree_roots": roots.tolist(),
        "leaf_targetids": [0] * len(leaves),
        "n_targets": 1,
        "aggregate_function": _SUM,
        "post_transform": 0,
    }
    if sets:
        flat = [code for codes in sets for code in codes]
        attributes["membership_values"] = np.array(flat, dtype=graph.real)
    return attributes
