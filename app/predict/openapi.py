"""What the documentation says of POST /predict, which FastAPI does not see.

A test sends what these schemas allow and forbid to the decoder, and holds real answers
against them.
"""

from typing import Any, get_args

from app.errors import (
    BodyTooLargeError,
    CorruptArtifactError,
    InvalidRequestError,
    MalformedRequestError,
    ServiceUnavailableError,
    StorageFullError,
    TooManyRowsError,
    TooSlowError,
    UnknownModelError,
    UnsupportedMediaTypeError,
)
from app.predict.answer_openapi import (
    ANSWER_SCHEMA,
    CHOSEN_SCHEMA,
    COLUMNS_SCHEMA,
    COSTS,
)
from app.predict.envelope import Member
from app.predict.examples import (
    ANSWER_EXAMPLE,
    COLUMNS_EXAMPLE,
    EXPLAINED_EXAMPLE,
    REQUEST_EXAMPLES,
)
from app.reviews.intake import REFERENCE
from app.web.openapi import problems

__all__ = ["ANSWER_SCHEMA", "REQUEST_SCHEMA", "add_operation"]

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
            " score and to the rejector: the terms of an ensemble of stumps, Shapley"
            " values of any other model, for at most 50 rows. A batch gives no"
            " explanations.",
        },
        "references": {
            "anyOf": [
                {
                    "type": "array",
                    "items": {"type": "string", "pattern": f"^{REFERENCE}$"},
                },
                {"type": "null"},
            ],
            "description": "What you call the rows, one a row: where rejects of the"
            " model are reviewed, a row whose reference has an open case gets that"
            " case, and verdicts, outcomes and erasures go by it.",
        },
        "layout": {
            "enum": ["rows", "columns"],
            "default": "rows",
            "description": "How predictions are told: an object a row, or a list of"
            " one value a row for each member.",
        },
        "fields": {
            "anyOf": [
                {"type": "array", "items": {"enum": list(get_args(Member))}},
                {"type": "null"},
            ],
            "description": "The members of a prediction that are told, in this order;"
            " all without it.",
        },
    },
}


def add_operation(document: dict[str, Any]) -> None:
    """Add POST /predict to an OpenAPI document, in place."""
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas["PredictRequest"] = REQUEST_SCHEMA
    schemas["PredictAnswer"] = ANSWER_SCHEMA
    schemas["PredictChosen"] = CHOSEN_SCHEMA
    schemas["PredictColumns"] = COLUMNS_SCHEMA
    refused = problems(
        MalformedRequestError,
        UnknownModelError,
        BodyTooLargeError,
        TooManyRowsError,
        UnsupportedMediaTypeError,
        InvalidRequestError,
        CorruptArtifactError,
        ServiceUnavailableError,
        StorageFullError,
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
                            "schema": {
                                "anyOf": [
                                    {"$ref": f"#/components/schemas/{name}"}
                                    for name in (
                                        "PredictAnswer",
                                        "PredictChosen",
                                        "PredictColumns",
                                    )
                                ]
                            },
                            "examples": {
                                "rejected": {
                                    "summary": "A row left to a person",
                                    "value": ANSWER_EXAMPLE,
                                },
                                "explained": {
                                    "summary": "A row with what its columns add",
                                    "value": EXPLAINED_EXAMPLE,
                                },
                                "columns": {
                                    "summary": "Two members of two rows, by columns",
                                    "value": COLUMNS_EXAMPLE,
                                },
                            },
                        }
                    },
                },
                **{str(status): response for status, response in refused.items()},
            },
        }
    }
