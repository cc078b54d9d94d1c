"""The OpenAPI document: FastAPI's, with problems, keys and limits told everywhere.

Routes name the problems of their own (``responses=problems(...)``). Those that any
route may answer with (no key, a foreign page, a fault of ours) are added here once,
with an example each.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from app.errors import (
    ApiError,
    BodyTooLargeError,
    FieldError,
    ForbiddenError,
    InvalidRequestError,
    MalformedRequestError,
    MissingScopeError,
    RequestTimeoutError,
    TooSlowError,
    UnauthorizedError,
    UnsupportedMediaTypeError,
)
from app.keys.scopes import Scope, needed
from app.web.gate import PUBLIC_PATHS
from app.web.generators import readable_document

__all__ = [
    "PROBLEM_SCHEMA",
    "add_schemas",
    "install",
    "json_body",
    "located",
    "problems",
]

Responses = dict[int | str, dict[str, Any]]
PROBLEM = "application/problem+json"

PROBLEM_SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "description": "Problem details for HTTP APIs (RFC 9457).",
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "Which kind of problem."},
        "title": {"type": "string", "description": "The kind in words."},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "This case in words."},
        "request_id": {
            "type": "string",
            "description": "As in the header X-Request-ID and in the log.",
        },
        "errors": {
            "type": "array",
            "description": "The faults of the request one by one (the first twenty).",
            "items": {
                "type": "object",
                "required": ["pointer", "detail"],
                "properties": {
                    "pointer": {
                        "type": "string",
                        "description": "JSON pointer to the place.",
                    },
                    "detail": {"type": "string"},
                    "row": {"type": "integer", "minimum": 0},
                    "column": {"type": "string"},
                },
            },
        },
    },
}


def json_body(schema: type[BaseModel], examples: dict[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI entry of a body that the route reads by itself.

    Its schema is to be named to ``add_schemas``, since FastAPI does not see it.
    """
    reference = {"$ref": f"#/components/schemas/{schema.__name__}"}
    content = {"application/json": {"schema": reference, "examples": examples}}
    return {"required": True, "content": content}


def add_schemas(document: dict[str, Any], *schemas: type[BaseModel]) -> None:
    """Add schemas, and those that they refer to, to an OpenAPI document, in place."""
    components = document.setdefault("components", {}).setdefault("schemas", {})
    for schema in schemas:
        made = schema.model_json_schema(ref_template="#/components/schemas/{model}")
        components.update(made.pop("$defs", {}))
        components[schema.__name__] = made


def problems(*kinds: type[ApiError]) -> Responses:
    """Return the OpenAPI entries of these errors, grouped by status."""
    grouped: dict[int | str, list[type[ApiError]]] = {}
    for kind in kinds:
        grouped.setdefault(kind.status, []).append(kind)
    return {status: _response(same) for status, same in grouped.items()}


def located(status: int, description: str, of: str, headers: Any = None) -> Responses:
    """Return the OpenAPI entry of an answer that tells an address in ``Location``.

    Parameters
    ----------
    status : int
    description : str
    of : str
        Whose address it is, as in "The job's".
    headers : mapping, optional
        Others that it has.
    """
    address = {"description": f"{of} address.", "schema": {"type": "string"}}
    all_headers = {"Location": address, **(headers or {})}
    return {status: {"description": description, "headers": all_headers}}


def _response(kinds: list[type[ApiError]]) -> dict[str, Any]:
    return {
        "description": "; ".join(kind.title for kind in kinds),
        "content": {
            PROBLEM: {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": {
                    kind.slug: {"summary": kind.title, "value": _example(kind)}
                    for kind in kinds
                },
            }
        },
    }


def _example(kind: type[ApiError]) -> dict[str, Any]:
    errors = (
        [FieldError("/query/limit", "must be at least 1")]
        if issubclass(kind, InvalidRequestError)
        else []
    )
    return kind(kind.example, errors).problem()


def install(
    app: FastAPI,
    extend: Callable[[dict[str, Any]], None],
    *,
    keys_needed: Callable[[], bool],
) -> None:
    """Make ``app`` tell the whole document.

    Parameters
    ----------
    app : FastAPI
    extend : callable
        Adds, in place, what is served beside the routes of ``app``.
    keys_needed : callable
        Whether this service asks for keys now; the document says what is true of it.
    """
    cached: dict[bool, dict[str, Any]] = {}

    def document() -> dict[str, Any]:
        locked = keys_needed()
        if locked not in cached:
            made = get_openapi(
                title=app.title,
                version=app.version,
                summary=app.summary,
                description=app.description,
                routes=app.routes,
                tags=app.openapi_tags,
                servers=app.servers,
            )
            extend(made)
            _complete(made, keys_needed=locked)
            cached[locked] = readable_document(made)
        return cached[locked]

    app.openapi = document  # type: ignore[method-assign]  # FastAPI's own extension point


def _complete(document: dict[str, Any], *, keys_needed: bool) -> None:
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas["Problem"] = PROBLEM_SCHEMA
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    if keys_needed:
        components["securitySchemes"] = {
            "key": {
                "type": "http",
                "scheme": "bearer",
                "description": "One of the service's keys: each operation says the "
                "scopes of which any will do; admin has all.",
            }
        }
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            locked = keys_needed and path not in PUBLIC_PATHS
            scopes = needed(method.upper(), path) if locked else ()
            _complete_operation(operation, scopes)


def _complete_operation(operation: dict[str, Any], scopes: tuple[Scope, ...]) -> None:
    anywhere: list[type[ApiError]] = [ForbiddenError, ApiError, TooSlowError]
    if scopes:
        operation["security"] = [{"key": [scope]} for scope in scopes]
        anywhere += [UnauthorizedError, MissingScopeError]
    if "requestBody" in operation:
        anywhere += [MalformedRequestError, BodyTooLargeError, InvalidRequestError]
        anywhere += [RequestTimeoutError, UnsupportedMediaTypeError]
    responses = operation["responses"]
    for status, response in problems(*anywhere).items():
        known = responses.get(str(status))
        if known is None or _is_of_framework(known):
            responses[str(status)] = response
        elif PROBLEM not in known["content"]:  # a protocol's own error, or ours before
            known["content"] |= response["content"]
    refused = str(HTTPStatus.UNPROCESSABLE_ENTITY.value)
    if _is_of_framework(responses.get(refused, {})):
        del responses[refused]
    responses.update(sorted(responses.items()))


def _is_of_framework(response: dict[str, Any]) -> bool:
    """Tell whether FastAPI says by itself that a request may be refused."""
    schema = response.get("content", {}).get("application/json", {}).get("schema", {})
    return bool(schema.get("$ref", "").endswith("/HTTPValidationError"))
