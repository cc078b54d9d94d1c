"""The one place where an error becomes an answer: ``application/problem+json``.

Every problem carries the id of its request, which the log has too. Nothing of what was
refused is in it.
"""

import json
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Scope, Send

from app.errors import (
    ApiError,
    MalformedRequestError,
    MethodNotAllowedError,
    NotFoundError,
    ServiceUnavailableError,
)
from app.web.failures import FAILURES, logged_problem, translate
from app.web.validation import refusal

__all__ = [
    "MEDIA_TYPE",
    "allow",
    "flat",
    "install",
    "methods_of",
    "not_allowed",
    "problem_response",
    "send_problem",
]

MEDIA_TYPE = "application/problem+json"


def problem_response(error: ApiError, scope: Scope) -> Response:
    """Return the answer to a request that failed with ``error``."""
    problem = error.problem()
    if (request_id := scope.get("request_id")) is not None:
        problem["request_id"] = request_id
    return Response(
        json.dumps(problem, ensure_ascii=False, allow_nan=False).encode(),
        status_code=error.status,
        headers=error.headers,
        media_type=MEDIA_TYPE,
    )


async def send_problem(error: ApiError, scope: Scope, send: Send) -> None:
    """Answer with ``error`` from a pure ASGI part."""
    response = problem_response(error, scope)
    await send(
        {
            "type": "http.response.start",
            "status": response.status_code,
            "headers": response.raw_headers,
        }
    )
    await send({"type": "http.response.body", "body": response.body})


def install(app: FastAPI) -> None:
    """Answer every error of ``app`` as a problem."""
    app.add_exception_handler(ApiError, _answer_own)
    app.add_exception_handler(RequestValidationError, _answer_validation)
    app.add_exception_handler(HTTPException, _answer_framework)
    # Of one class each, lest the framework raise them again: that would cut the
    # connection behind the answer.
    for kind in FAILURES:
        app.add_exception_handler(kind, _answer_failure)
    app.add_exception_handler(Exception, _answer_unforeseen)


async def _answer_own(request: Request, error: Any) -> Response:
    return problem_response(error, request.scope)


async def _answer_validation(request: Request, error: Any) -> Response:
    return problem_response(
        refusal(error.errors(), request.scope.get("route"), error.body), request.scope
    )


async def _answer_framework(request: Request, error: Any) -> Response:
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return not_allowed(methods_of(request.app.routes, request.scope), request.scope)
    return problem_response(_own_error(error.status_code), request.scope)


async def _answer_failure(request: Request, error: Any) -> Response:
    return problem_response(logged_problem(error, "a request failed"), request.scope)


async def _answer_unforeseen(request: Request, error: Any) -> Response:
    return problem_response(translate(error), request.scope)


def methods_of(routes: Iterable[BaseRoute], scope: Scope) -> set[str]:
    """Return what an address takes; the framework names one route's methods only.

    An address of its own (``/cases/changes``) is none of those with a part to fill in
    (``/cases/{case_id}``), though they would match it.
    """
    taken = [
        route for route in flat(routes) if route.matches(scope)[0] is not Match.NONE
    ]
    own = [route for route in taken if not getattr(route, "param_convertors", None)]
    methods = (getattr(route, "methods", None) or {"GET"} for route in own or taken)
    return set().union(*methods)


def flat(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """Yield routes, those of included routers one by one."""
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is None:
            yield route
        else:
            yield from flat(included.routes)


def allow(methods: Iterable[str]) -> str:
    """Return the value of ``Allow``: HEAD goes with GET, OPTIONS with everything."""
    named = {*methods, "OPTIONS"}
    return ", ".join(sorted(named | {"HEAD"} if "GET" in named else named))


def not_allowed(methods: Iterable[str], scope: Scope) -> Response:
    """Return the answer to a method that an address does not take."""
    taken = allow(methods)
    error = MethodNotAllowedError(f"this path takes {taken}; see /docs")
    response = problem_response(error, scope)
    response.headers["allow"] = taken
    return response


def _own_error(status: int) -> ApiError:
    """Say in our words what the framework refused by itself."""
    if status == HTTPStatus.NOT_FOUND:
        return NotFoundError("no route has this path; see /docs")
    if status == HTTPStatus.BAD_REQUEST:
        return MalformedRequestError(
            "the body cannot be read: it is JSON in UTF-8, with finite numbers of "
            "usual length and moderate nesting"
        )
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        return ServiceUnavailableError("the service is not available now; try again")
    return ApiError("the request could not be answered")
