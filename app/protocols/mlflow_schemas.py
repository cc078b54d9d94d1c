"""Requests and answers of MLflow's scoring protocol, as the documentation has them.

A test holds real answers against these schemas.
"""

from typing import Any

from app.predict.examples import ANSWER_EXAMPLE
from app.predict.openapi import CELL

__all__ = ["ANSWER", "INVOKE", "REQUEST", "SCHEMAS"]

_CELLS = {"type": "array", "items": CELL}
_LISTS = {"type": "array", "items": _CELLS}
_RECORDS = {"type": "array", "items": {"type": "object", "additionalProperties": CELL}}
_FORMS = ("dataframe_split", "dataframe_records", "instances", "inputs")

SCHEMAS: dict[str, Any] = {
    "MlflowRequest": {
        "title": "MlflowRequest",
        "type": "object",
        "additionalProperties": False,
        "oneOf": [{"required": [name]} for name in _FORMS],
        "properties": {
            "dataframe_split": {
                "type": "object",
                "additionalProperties": False,
                "required": ["columns", "data"],
                "properties": {
                    "columns": {"type": "array", "items": {"type": "string"}},
                    "data": _LISTS,
                    "index": {"description": "Names of rows, which are passed over."},
                },
            },
            "dataframe_records": _RECORDS,
            "instances": _RECORDS,
            "inputs": {
                "description": "Columns by name, or rows as objects or as lists in the"
                " order of the model's columns.",
                "anyOf": [
                    {"type": "object", "additionalProperties": _CELLS},
                    _LISTS,
                    _RECORDS,
                ],
            },
            "params": {
                "type": ["object", "null"],
                "maxProperties": 0,
                "description": "A model here takes no parameters.",
            },
        },
    },
    "MlflowError": {
        "title": "MlflowError",
        "type": "object",
        "required": ["error_code", "message"],
        "properties": {
            "error_code": {
                "enum": [
                    "BAD_REQUEST",
                    "RESOURCE_DOES_NOT_EXIST",
                    "TEMPORARILY_UNAVAILABLE",
                    "INTERNAL_ERROR",
                ]
            },
            "message": {"type": "string"},
        },
    },
}

INVOKE = (
    "MLflow's scoring protocol, as its scoring and deployments clients speak it. Rows"
    " are given once, in one of four forms, and go the way of `POST /predict`."
)

_ROWS = {"columns": ["glucose", "bmi"], "data": [[120, 31.0], [99, None]]}

REQUEST: dict[str, Any] = {
    "application/json": {
        "schema": {"$ref": "#/components/schemas/MlflowRequest"},
        "examples": {
            "split": {
                "summary": "A data frame, as its client sends it",
                "value": {"dataframe_split": _ROWS},
            },
            "records": {
                "summary": "Rows as objects",
                "value": {"dataframe_records": [{"glucose": 120, "bmi": 31.0}]},
            },
            "columns": {
                "summary": "Columns by name",
                "value": {"inputs": {"glucose": [120, 99], "bmi": [31.0, None]}},
            },
        },
    }
}

ANSWER: dict[str, Any] = {
    "200": {
        "description": "The decisions, in the order of the rows",
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/PredictAnswer"},
                "example": ANSWER_EXAMPLE,
            }
        },
    }
}
