"""What the documentation says of the addresses of protocols, which FastAPI cannot see.

Two kinds of errors are told: the protocol's own, made by its skin, and beside them the
problems of what stands before it (keys, limits of a body), which
``app.web.openapi`` adds.
"""

import json
from typing import Any

from app.errors import (
    ApiError,
    CorruptArtifactError,
    FieldError,
    InvalidRequestError,
    MalformedRequestError,
    ServiceUnavailableError,
    StorageFullError,
    TooManyRowsError,
    UnknownModelError,
    UnsupportedMediaTypeError,
)
from app.protocols import mlflow, mlflow_schemas, open_inference, open_inference_schemas
from app.protocols.skin import Skin

__all__ = ["TAG", "add_operations"]

TAG = "protocols"
_FIND = (UnknownModelError, CorruptArtifactError, ServiceUnavailableError)
_DECIDE = (
    *_FIND,
    MalformedRequestError,
    TooManyRowsError,
    InvalidRequestError,
    StorageFullError,
)
_PARTS = {
    "{model}": "A model's name (its newest version) or `name@alias`.",
    "{name}": "A model: `name` (its newest version), `name:version` or `name@alias`.",
    "{version}": "One of its versions.",
}


def add_operations(document: dict[str, Any]) -> None:
    """Add what every protocol answers to an OpenAPI document, in place."""
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas |= open_inference_schemas.SCHEMAS | mlflow_schemas.SCHEMAS
    document["paths"] |= _open_inference() | _mlflow()


def _open_inference() -> dict[str, Any]:
    schemas, skin = open_inference_schemas, open_inference.SKIN
    paths = {
        "/v2": _get(skin, "describe_server", "Describe the server", "V2Server"),
        "/v2/health/live": _get(
            skin, "check_server_live", "Tell that the server lives", "V2Live"
        ),
        "/v2/health/ready": _get(
            skin, "check_server_ready", "Tell whether the server is ready", "V2Ready"
        ),
    }
    unready = {"503": _answer("V2Ready", "It is not")}
    paths["/v2/health/ready"]["get"]["responses"] |= unready
    for of, after in (("", ""), ("_version", "/versions/{version}")):
        at = f"/v2/models/{{model}}{after}"
        which = "a version of a model" if of else "a model"
        paths[at] = _get(
            skin, f"describe_model{of}", f"Describe {which}", "V2Model", _FIND, at
        )
        ready = f"Tell that {which} is ready"
        paths[f"{at}/ready"] = _get(
            skin, f"check_model{of}_ready", ready, "V2ModelReady", _FIND, at
        )
        paths[f"{at}/infer"] = {
            "post": {
                **_operation(f"infer{of}", f"Decide rows by {which}", at),
                "description": schemas.INFER,
                "requestBody": {"required": True, "content": schemas.REQUEST},
                "responses": schemas.ANSWER | _errors(skin, "V2Error", _DECIDE),
            }
        }
    return paths


def _mlflow() -> dict[str, Any]:
    schemas, skin = mlflow_schemas, mlflow.SKIN
    refused = (*_DECIDE, UnsupportedMediaTypeError)
    endpoint = "/endpoints/{name}/invocations"
    posts = {
        "/invocations": ("invoke", "Decide rows by DEMUR_DEFAULT_MODEL"),
        endpoint: ("invoke_endpoint", "Decide rows by the model of that name"),
    }
    paths = {
        path: {
            "post": {
                **_operation(name, summary, path),
                "description": schemas.INVOKE,
                "requestBody": {"required": True, "content": schemas.REQUEST},
                "responses": schemas.ANSWER | _errors(skin, "MlflowError", refused),
            }
        }
        for path, (name, summary) in posts.items()
    }
    for path, name, summary, example in (
        ("/ping", "ping", "Tell that the server lives", "\n"),
        ("/version", "tell_version", "Tell the server's version", "1.0"),
    ):
        text = {"schema": {"type": "string"}, "example": example}
        answer = {"description": "The server answers", "content": {"text/plain": text}}
        operation = _operation(name, summary, path)
        paths[path] = {"get": {**operation, "responses": {"200": answer}}}
    return paths


def _get(
    skin: Skin,
    name: str,
    summary: str,
    schema: str,
    refused: tuple[type[ApiError], ...] = (),
    path: str = "",
) -> dict[str, Any]:
    answer = _answer(schema, "As the protocol has it")
    errors = _errors(skin, "V2Error", refused)
    operation = _operation(name, summary, path)
    return {"get": {**operation, "responses": {"200": answer, **errors}}}


def _answer(schema: str, description: str) -> dict[str, Any]:
    content = {"schema": {"$ref": f"#/components/schemas/{schema}"}}
    return {"description": description, "content": {"application/json": content}}


def _operation(name: str, summary: str, path: str) -> dict[str, Any]:
    parts = [part for part in _PARTS if part in path]
    return {
        "tags": [TAG],
        "operationId": name,
        "summary": summary,
        "parameters": [
            {
                "name": part.strip("{}"),
                "in": "path",
                "required": True,
                "schema": {"type": "string"},
                "description": _PARTS[part],
            }
            for part in parts
        ],
    }


def _errors(
    skin: Skin, schema: str, kinds: tuple[type[ApiError], ...]
) -> dict[str, Any]:
    """Return what a skin says of these errors, by status."""
    return {
        str(kind.status): {
            "description": kind.title,
            "content": {
                "application/json": {
                    "schema": {"$ref": f"#/components/schemas/{schema}"},
                    "examples": {
                        kind.slug: {"summary": kind.title, "value": _shown(skin, kind)}
                    },
                }
            },
        }
        for kind in kinds
    }


def _shown(skin: Skin, kind: type[ApiError]) -> Any:
    faults = [FieldError("/inputs/0", "the column is given twice", column="bmi")]
    is_fault = issubclass(kind, InvalidRequestError)
    return json.loads(skin.error(kind(kind.example, faults if is_fault else [])))
