"""Requests and answers of POST /predict, as the documentation shows them."""

from typing import Any

__all__ = [
    "ANSWER_EXAMPLE",
    "COLUMNS_EXAMPLE",
    "EXPLAINED_EXAMPLE",
    "REQUEST_EXAMPLES",
]

_ROW = {"glucose": 120, "bmi": 31.0}
REQUEST_EXAMPLES: dict[str, Any] = {
    "instances": {
        "summary": "Rows as objects",
        "value": {"model": "pima", "instances": [_ROW, {"glucose": 99, "bmi": None}]},
    },
    "data": {
        "summary": "Rows as lists, of one version",
        "value": {
            "model": "pima:1",
            "data": {"columns": ["bmi", "glucose"], "rows": [[31.0, 120]]},
        },
    },
    "extra": {
        "summary": "With a column that the model does not know",
        "value": {
            "model": "pima",
            "instances": [{"patient": "a17", **_ROW}],
            "extra_columns": "ignore",
        },
    },
    "columns": {
        "summary": "Two members of each prediction, by columns",
        "value": {
            "model": "pima",
            "instances": [_ROW, {"glucose": 99, "bmi": None}],
            "layout": "columns",
            "fields": ["decision", "probability"],
        },
    },
    "explain": {
        "summary": "With what each column adds",
        "value": {"model": "pima-stumps", "instances": [_ROW], "explain": True},
    },
}

ANSWER_EXAMPLE: dict[str, Any] = {
    "model": {"name": "pima", "version": 1},
    "costs": {
        "false_positive": 1.0,
        "false_negative": 1.0,
        "reject_positive": 0.3,
        "reject_negative": 0.3,
    },
    "thresholds": {"lower": -0.85, "upper": 0.85, "on": "score", "always": None},
    "predictions": [
        {
            "decision": "reject",
            "label": None,
            "score": 0.12,
            "probability": 0.53,
            "expected_cost": 0.3,
            "expected_costs": {"+1": 0.47, "-1": 0.53, "reject": 0.3},
            "reason": "ambiguous",
            "would_be": "yes",
            "distances": {"lower": 0.97, "upper": -0.73},
            "warnings": [],
        }
    ],
    "summary": {"n": 1, "accepted": 0, "rejected": 1, "expected_cost": 0.3},
}

EXPLAINED_EXAMPLE: dict[str, Any] = {
    **ANSWER_EXAMPLE,
    "thresholds": None,
    "predictions": [
        {
            **ANSWER_EXAMPLE["predictions"][0],
            "distances": None,
            "explanation": {
                "h": {"glucose": 0.5, "bmi": -0.38},
                "r": {"glucose": -0.25, "bmi": -1.0},
                "intercept": {"h": 0.0, "r": 0.75},
                "reject_score": -0.5,
                "exact": True,
            },
        }
    ],
}

COLUMNS_EXAMPLE: dict[str, Any] = {
    **ANSWER_EXAMPLE,
    "predictions": {"decision": ["reject", "-1"], "probability": [0.53, 0.04]},
    "summary": {"n": 2, "accepted": 1, "rejected": 1, "expected_cost": 0.17},
}
