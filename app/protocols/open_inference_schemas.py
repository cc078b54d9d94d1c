"""Requests and answers of the Open Inference Protocol, as the documentation has them.

A test holds real answers against these schemas.
"""

from typing import Any, get_args

from app.protocols.outputs import ON_REQUEST, OUTPUTS, OnReject
from app.protocols.tensors import DTYPES

__all__ = ["ANSWER", "INFER", "REQUEST", "SCHEMAS"]

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_SHAPE = {"type": "array", "items": {"type": "integer", "minimum": 0}}
_DATATYPE = {"enum": ["BYTES", *DTYPES]}
_FREE = {"type": "object"}


def _object(
    title: str, example: Any, properties: dict[str, Any], **more: Any
) -> dict[str, Any]:
    """Return the schema of an object, which has all these members if none is named."""
    return {
        "title": title,
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "examples": [example],
        **more,
    }


def _tensors() -> dict[str, Any]:
    """Return the schema of a list of what a model takes or tells."""
    return {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["name", "datatype", "shape"],
            "properties": {
                "name": _TEXT,
                "datatype": _DATATYPE,
                "shape": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "description": "-1 is the number of rows.",
                },
            },
        },
    }


_GLUCOSE = {"name": "glucose", "shape": [2], "datatype": "FP64"}
_BMI = {"name": "bmi", "shape": [2], "datatype": "FP64"}
_COLUMNS = [_GLUCOSE | {"data": [120, 99]}, _BMI | {"data": [31.0, None]}]

REQUEST_SCHEMA = _object(
    "V2InferRequest",
    {"inputs": _COLUMNS},
    {
        "inputs": {
            "type": "array",
            "minItems": 1,
            "description": "One tensor of numbers [n, d] in the order of the model's"
            " columns, or a tensor a column by its name, [n] or [n, 1]. NaN, an empty"
            " text and null are missing values. One called `case_reference` (BYTES)"
            " says what you call the rows.",
            "items": {
                "type": "object",
                "required": ["name", "shape", "datatype"],
                "properties": {
                    "name": _TEXT,
                    "shape": _SHAPE,
                    "datatype": _DATATYPE,
                    "parameters": {
                        **_FREE,
                        "description": "`binary_data_size`: how many bytes behind the"
                        " JSON are this tensor, instead of `data`.",
                    },
                    "data": {"description": "Its values, nested or flat."},
                },
            },
        },
        "id": {"type": ["string", "null"], "description": "Comes back in the answer."},
        "parameters": {
            "type": "object",
            "properties": {
                "on_reject": {
                    "enum": list(get_args(OnReject)),
                    "default": "word",
                    "description": "A rejected row is told as such (`word`), has in"
                    " `label` what a forced answer gives (`force`), or makes the whole"
                    " request an error (`error`).",
                },
                "binary_data_output": {"type": "boolean", "default": False},
            },
        },
        "outputs": {
            "description": "Which outputs are sent, in this order; without it all but"
            f" {' and '.join(f'`{name}`' for name in ON_REQUEST)}.",
            "anyOf": [
                {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {
                            "name": {"enum": list(OUTPUTS)},
                            "parameters": _FREE,
                        },
                    },
                },
                {"type": "null"},
            ],
        },
    },
    required=["inputs"],
)

_DECISIONS = {"name": "decision", "shape": [2, 1], "datatype": "BYTES"}
_ANSWER = {
    "model_name": "pima",
    "model_version": "1",
    "parameters": {"reject_option": "1", "rejected": 1, "mean_expected_cost": 0.21},
    "outputs": [_DECISIONS | {"data": ["+1", "reject"]}],
}
_SERVER = {
    "name": "demur",
    "version": "1.0",
    "extensions": ["binary_tensor_data", "reject_option", "case_reference"],
}
_OUTPUT = {"name": "decision", "datatype": "BYTES", "shape": [-1, 1]}
_MODEL = {
    "name": "pima",
    "versions": ["1"],
    "platform": "demur",
    "inputs": [{"name": "glucose", "datatype": "FP64", "shape": [-1, 1]}],
    "outputs": [_OUTPUT],
}
_BOOLEAN = {"type": "boolean"}

SCHEMAS: dict[str, Any] = {
    "V2InferRequest": REQUEST_SCHEMA,
    "V2InferAnswer": _object(
        "V2InferAnswer",
        _ANSWER,
        {
            "model_name": _TEXT,
            "model_version": _TEXT,
            "id": {**_TEXT, "description": "Where the request had one."},
            "parameters": {
                "type": "object",
                "required": ["reject_option", "rejected"],
                "properties": {
                    "reject_option": {**_TEXT, "description": "Of the convention."},
                    "rejected": {"type": "integer", "minimum": 0},
                    "mean_expected_cost": {"type": "number"},
                },
            },
            "outputs": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name", "shape", "datatype"],
                    "properties": {
                        "name": {"enum": list(OUTPUTS)},
                        "shape": _SHAPE,
                        "datatype": _DATATYPE,
                        "parameters": _FREE,
                        "data": {
                            "type": "array",
                            "items": {"type": ["string", "number", "boolean"]},
                        },
                    },
                },
            },
        },
        required=["model_name", "model_version", "parameters", "outputs"],
    ),
    "V2Server": _object(
        "V2Server", _SERVER, {"name": _TEXT, "version": _TEXT, "extensions": _TEXTS}
    ),
    "V2Live": _object("V2Live", {"live": True}, {"live": _BOOLEAN}),
    "V2Ready": _object("V2Ready", {"ready": True}, {"ready": _BOOLEAN}),
    "V2Model": _object(
        "V2Model",
        _MODEL,
        {
            "name": _TEXT,
            "versions": _TEXTS,
            "platform": _TEXT,
            "inputs": _tensors(),
            "outputs": _tensors(),
        },
    ),
    "V2ModelReady": _object(
        "V2ModelReady",
        {"name": "pima", "ready": True},
        {"name": _TEXT, "ready": _BOOLEAN},
    ),
    "V2Error": _object("V2Error", {"error": "no model is called so"}, {"error": _TEXT}),
}

_BINARY = {"schema": {"type": "string", "format": "binary"}}
_LENGTH = "Inference-Header-Content-Length"

INFER = (
    "The Open Inference Protocol V2, as clients of KServe, Triton and MLServer speak"
    f" it: JSON, or JSON and behind it binary tensors, where {_LENGTH} tells the length"
    " of the JSON; the content type is not looked at. Rows go the way of"
    " `POST /predict`. How a reject is told is a convention:"
    " docs/reject-convention.md."
)

REQUEST: dict[str, Any] = {
    "application/json": {"schema": {"$ref": "#/components/schemas/V2InferRequest"}}
}

ANSWER: dict[str, Any] = {
    "200": {
        "description": "The outputs, each of a row per row; with binary tensors behind"
        f" the JSON, whose length {_LENGTH} tells, where the request asks for them",
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/V2InferAnswer"}
            },
            "application/octet-stream": _BINARY,
        },
    }
}
