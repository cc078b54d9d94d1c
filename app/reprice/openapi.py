"""How the interactive documentation tells a re-pricing."""

from typing import Any

from app.reprice.schemas import RepriceRequest
from app.web.openapi import json_body

__all__ = ["EXAMPLES", "REQUEST_BODY"]

EXAMPLES: dict[str, dict[str, Any]] = {
    "costs": {
        "summary": "Other costs, by a rule on the score",
        "value": {
            "costs": {
                "false_positive": 1.0,
                "false_negative": 10.0,
                "reject_positive": 0.6,
                "reject_negative": 0.3,
            },
            "rule": {"kind": "expected-cost"},
        },
    },
    "limit": {
        "summary": "A limit on rejects instead of a rule",
        "value": {"max_reject_rate": 0.1},
    },
    "prevalence": {
        "summary": "Fewer +1 in use than in training, by Chow's rule",
        "value": {"rule": {"kind": "chow"}, "prevalence": 0.02},
    },
}

REQUEST_BODY = json_body(RepriceRequest, EXAMPLES)
