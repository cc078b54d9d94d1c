"""What the documentation says of POST /predict, which FastAPI does not see.

A test sends what these schemas allow and forbid to the decoder, and holds real answers
against them.
"""

from typing import Any

from app.errors import (
    BodyTooLargeError,
    CorruptArtifactError,
    InvalidRequestError,
    MalformedRequestError,
    ServiceUnavailableError,
    TooManyRowsError,
    TooSlowError,
    UnknownModelError,
    UnsupportedMediaTypeError,
)
from app.predict.examples import ANSWER_EXAMPLE, EXPLAINED_EXAMPLE, REQUEST_EXAMPLES
from app.web.openapi import problems

__all__ = ["ANSWER_SCHEMA", "REQUEST_SCHEMA", "add_operation"]

COSTS: dict[str, Any] = {
    "type": "object",
    "description": "The four prices of a decision; a correct one costs 0. Rejecting"
    " must be able to pay off: false_positive * reject_positive + false_negative *"
    " reject_negative < false_positive * false_negative.",
    "additionalProperties": False,
    "required": [
        "false_positive",
        "false_negative",
        "reject_positive",
        "reject_negative",
    ],
    "properties": {
        name: {"type": "number", "exclusiveMinimum": 0, "description": words}
        for name, words in (
            ("false_positive", 'Calling a true -1 "+1".'),
            ("false_negative", 'Calling a true +1 "-1".'),
            ("reject_positive", "Rejecting a true +1."),
            ("reject_negative", "Rejecting a true -1."),
        )
    },
}

CELL: dict[str, Any] = {
    "type": ["number", "string", "boolean", "null"],
    "description": "Of the column's type; null is a missing value.",
}

REQUEST_SCHEMA: dict[str, Any] = {
    "title": "PredictRequest",
    "type": "object",
    "additionalProperties": False,
    "required": ["model"],
    "oneOf": [{"required": ["instances"]}, {"required": ["data"]}],
    "properties": {
        "model": {
            "type": "string",
            "description": "`name` (its newest version), `name:version` or"
            " `name@alias`.",
        },
        "instances": {
            "type": "array",
            "description": "Rows as objects; every column of the model, in any order.",
            "items": {"type": "object", "additionalProperties": CELL},
        },
        "data": {
            "type": "object",
            "description": "Rows as lists, instead of `instances`.",
            "additionalProperties": False,
            "required": ["columns", "rows"],
            "properties": {
                "kind": {"const": "inline", "default": "inline"},
                "columns": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Every column of the model once, in any order.",
                },
                "rows": {
                    "type": "array",
                    "items": {"type": "array", "items": CELL},
                },
            },
        },
        "extra_columns": {
            "enum": ["refuse", "ignore"],
            "default": "refuse",
            "description": "What happens to columns that the model does not know.",
        },
        "costs": {
            "anyOf": [COSTS, {"type": "null"}],
            "description": "Decide and price at these costs instead of the trained"
            " ones. Only where thresholds follow from costs and what the model keeps:"
            " `chow`, `expected-cost` by its ROC hull, and `plug-in` with `p-svm`.",
        },
        "explain": {
            "type": "boolean",
            "default": False,
            "description": "Tell with each prediction what every column adds to the"
            " score and to the rejector. Only models of `abstention-boosting` and"
            " `adaboost` can; others are refused. A batch gives no explanations.",
        },
    },
}

_NUMBER_OR_NULL = {"type": ["number", "null"]}
_LABEL = {"type": ["string", "number", "boolean"]}


def _all_of(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the schema of an object that has all these members and no others."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
        **more,
    }


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


_TERMS = {"type": "object", "additionalProperties": {"type": "number"}}

EXPLANATION = _all_of(
    {
        "h": {
            **_TERMS,
            "description": "What each column adds to the score; their sum is exactly"
            " the score.",
        },
        "r": {
            **_or_null(_TERMS),
            "description": "What each column takes from the rejector; with the"
            " intercept exactly `reject_score`. Null where none is learnt.",
        },
        "intercept": _all_of({"h": {"type": "number"}, "r": _NUMBER_OR_NULL}),
        "reject_score": {
            **_NUMBER_OR_NULL,
            "description": "r of the row: the rule `embedded` rejects where it is not"
            " positive.",
        },
    },
    description="Only where the request says `explain`.",
)

PREDICTION = _all_of(
    {
        "decision": {"enum": ["+1", "-1", "reject"]},
        "label": {
            "type": ["string", "number", "boolean", "null"],
            "description": "Your label for the decision; null when rejected.",
        },
        "score": {"type": "number"},
        "probability": {
            "type": ["number", "null"],
            "minimum": 0,
            "maximum": 1,
            "description": "Of +1, calibrated on scores of rows left out of training;"
            " with `abstention-trees` on the log-odds that score and rejector imply.",
        },
        "expected_cost": {
            **_NUMBER_OR_NULL,
            "description": "Of the decision taken, at this probability.",
        },
        "expected_costs": _or_null(
            _all_of({name: {"type": "number"} for name in ("+1", "-1", "reject")})
        ),
        "reason": {
            "enum": [None, "ambiguous", "outlier", "unseen_category", "missing_value"],
            "description": "Why the row was rejected.",
        },
        "would_be": {**_LABEL, "description": "What a forced answer would be."},
        "distances": _or_null(
            _all_of(
                {"lower": _NUMBER_OR_NULL, "upper": _NUMBER_OR_NULL},
                description="The score (or probability) minus each threshold.",
            )
        ),
        "warnings": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Each begins with its kind: unseen_category,"
            " missing_value or not_cheapest.",
        },
    },
    title="Prediction",
)
PREDICTION["properties"]["explanation"] = EXPLANATION

ANSWER_SCHEMA = _all_of(
    {
        "model": _all_of(
            {
                "name": {"type": "string"},
                "version": {"type": "integer", "minimum": 1},
            }
        ),
        "costs": _or_null(COSTS),
        "thresholds": _or_null(
            _all_of(
                {
                    "lower": _NUMBER_OR_NULL,
                    "upper": _NUMBER_OR_NULL,
                    "on": {"enum": ["score", "probability"]},
                },
                description="Below lower: -1. Above upper: +1. Null: infinite.",
            )
        ),
        "predictions": {"type": "array", "items": PREDICTION},
        "summary": _all_of(
            {
                "n": {"type": "integer", "minimum": 0},
                "accepted": {"type": "integer", "minimum": 0},
                "rejected": {"type": "integer", "minimum": 0},
                "expected_cost": {
                    **_NUMBER_OR_NULL,
                    "description": "Mean of the rows.",
                },
            }
        ),
    },
    title="PredictAnswer",
)


def add_operation(document: dict[str, Any]) -> None:
    """Add POST /predict to an OpenAPI document, in place."""
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas["PredictRequest"] = REQUEST_SCHEMA
    schemas["PredictAnswer"] = ANSWER_SCHEMA
    refused = problems(
        MalformedRequestError,
        UnknownModelError,
        BodyTooLargeError,
        TooManyRowsError,
        UnsupportedMediaTypeError,
        InvalidRequestError,
        CorruptArtifactError,
        ServiceUnavailableError,
        TooSlowError,
    )
    document["paths"]["/predict"] = {
        "post": {
            "tags": ["predict"],
            "summary": "Decide rows",
            "description": "A row gets the same answer alone as in any batch; no row is"
            " dropped or moved. A missing key, a wrong type or NaN is refused, naming"
            " row (from 0) and column.",
            "operationId": "predict",
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {
                        "schema": {"$ref": "#/components/schemas/PredictRequest"},
                        "examples": REQUEST_EXAMPLES,
                    }
                },
            },
            "responses": {
                "200": {
                    "description": "The decisions, in the order of the rows",
                    "content": {
                        "application/json": {
                            "schema": {"$ref": "#/components/schemas/PredictAnswer"},
                            "examples": {
                                "rejected": {
                                    "summary": "A row left to a person",
                                    "value": ANSWER_EXAMPLE,
                                },
                                "explained": {
                                    "summary": "A row with what its columns add",
                                    "value": EXPLAINED_EXAMPLE,
                                },
                            },
                        }
                    },
                },
                **{str(status): response for status, response in refused.items()},
            },
        }
    }
