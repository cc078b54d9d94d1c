"""How the interactive documentation shows POST /train.

The body is read by ``app.train.parsing`` rather than by FastAPI, so its schema and
examples are declared here, from the same classes that check it.
"""

from typing import Any

from app.train.schemas import TrainRequest
from app.web.openapi import json_body

__all__ = ["EXAMPLES", "REQUEST_BODY"]

_COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.6,
    "reject_negative": 0.3,
}
_ROWS = [
    [148, 33.6, "yes"],
    [85, 26.6, "no"],
    [183, 23.3, "yes"],
    [89, 28.1, "no"],
    [137, 43.1, "yes"],
    [116, 25.6, "no"],
    [78, 31.0, "yes"],
    [115, None, "no"],
]
_DATA = {"kind": "inline", "columns": ["glucose", "bmi", "outcome"], "rows": _ROWS}
_TARGET = {"column": "outcome", "positive": "yes"}

EXAMPLES: dict[str, dict[str, Any]] = {
    "double-hinge": {
        "summary": "A double-hinge SVM with the rule of its paper, at costs",
        "value": {
            "model": "pima",
            "trainer": {
                "kind": "double-hinge-svm",
                "C": 1.0,
                "kernel": {"kind": "rbf", "gamma": "scale"},
            },
            "costs": _COSTS,
            "rule": {"kind": "plug-in"},
            "data": _DATA,
            "target": _TARGET,
            "evaluation": {"holdout": 0.25, "seed": 0},
        },
    },
    "chow": {
        "summary": "An ordinary SVM under Chow's rule, by a threshold instead of costs",
        "value": {
            "model": "pima",
            "trainer": {"kind": "svm"},
            "rule": {"kind": "chow", "reject_threshold": 0.2},
            "data": _DATA,
            "target": _TARGET,
        },
    },
    "search": {
        "summary": "The least expected cost over a grid of parameters",
        "value": {
            "model": "pima",
            "trainer": {"kind": "double-hinge-svm"},
            "costs": _COSTS,
            "data": _DATA,
            "target": _TARGET,
            "search": {
                "params": {"C": [0.1, 1, 10], "kernel.gamma": [0.01, "scale"]},
                "folds": 5,
            },
        },
    },
    "candidates": {
        "summary": "Several trainers in one search, each with parameters of its own",
        "value": {
            "model": "pima",
            "costs": _COSTS,
            "data": _DATA,
            "target": _TARGET,
            "search": {
                "candidates": [
                    {"kind": "double-hinge-svm", "params": {"C": [1, 10]}},
                    {"kind": "abstention-trees", "params": {"max_depth": [1, 2]}},
                ]
            },
        },
    },
    "auto": {
        "summary": "Several trainers, averaged",
        "value": {
            "model": "pima",
            "trainer": {"kind": "auto"},
            "costs": _COSTS,
            "data": _DATA,
            "target": _TARGET,
        },
    },
}

REQUEST_BODY = json_body(TrainRequest, EXAMPLES)
