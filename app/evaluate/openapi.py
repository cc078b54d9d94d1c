"""How the interactive documentation tells an evaluation."""

from typing import Any

from app.evaluate.schemas import EvaluateRequest
from app.web.openapi import json_body

__all__ = ["EXAMPLES", "REQUEST_BODY"]

EXAMPLES: dict[str, dict[str, Any]] = {
    "inline": {
        "summary": "Rows with the labels that were found out since",
        "value": {
            "data": {
                "kind": "inline",
                "columns": ["glucose", "bmi", "outcome"],
                "rows": [
                    [151, 35.2, "yes"],
                    [92, 24.1, "no"],
                    [120, None, "no"],
                    [168, 31.7, "yes"],
                ],
            },
            "target": {"column": "outcome", "positive": "yes"},
        },
    },
    "prevalence": {
        "summary": "Rows with more +1 than there are in use",
        "value": {
            "data": {
                "kind": "inline",
                "columns": ["glucose", "bmi", "outcome"],
                "rows": [[151, 35.2, "yes"], [92, 24.1, "no"]],
            },
            "prevalence": 0.02,
        },
    },
}

REQUEST_BODY = json_body(EvaluateRequest, EXAMPLES)
