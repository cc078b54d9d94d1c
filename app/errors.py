"""Every error that the service answers with, as problem details (RFC 9457).

    ApiError                        500
    ├── MalformedRequestError       400  a body or header that cannot be read at all
    ├── UnauthorizedError           401  no key, or an unknown one
    ├── ForbiddenError              403  a foreign Host or Origin
    │   └── MissingScopeError       403  a key that opens less than was asked for
    ├── NotFoundError               404  no such address
    │   ├── UnknownModelError       404
    │   ├── UnknownJobError         404
    │   └── UnknownKeyError         404
    ├── MethodNotAllowedError       405
    ├── RequestTimeoutError         408  the body did not come in time
    ├── ConflictError               409  the state does not allow it
    │   ├── GateFailedError         409  a version that misses a bar of a gate
    │   └── KeyReusedError          409  an Idempotency-Key with another body
    ├── BodyTooLargeError           413
    ├── UnsupportedMediaTypeError   415
    ├── InvalidRequestError         422  read, but not acceptable
    ├── CorruptArtifactError        500  a model file that is not what was written
    │   └── UnreadableArtifactError 500  one that other versions have written
    ├── TrainingFailedError         500  a training stopped by a fault of its own
    ├── TrainingCrashedError        500  the training process died
    ├── TrainingLimitError          422  a training took more than it may have
    ├── ServiceUnavailableError     503  try again later
    │   ├── NotReadyError           503
    │   ├── QueueFullError          503  too many jobs wait
    │   └── TooSlowError            503  the answer did not come in time
    └── StorageFullError            507

Arguments are positional, so that errors survive a process border. What was refused is
never repeated: a pointer, a row and a column say where it stands.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

__all__ = [
    "ApiError",
    "BodyTooLargeError",
    "ConflictError",
    "CorruptArtifactError",
    "FieldError",
    "ForbiddenError",
    "GateFailedError",
    "InvalidRequestError",
    "KeyReusedError",
    "MalformedRequestError",
    "MethodNotAllowedError",
    "MissingScopeError",
    "NotFoundError",
    "NotReadyError",
    "QueueFullError",
    "RequestTimeoutError",
    "ServiceUnavailableError",
    "StorageFullError",
    "TooSlowError",
    "TrainingCrashedError",
    "TrainingFailedError",
    "TrainingLimitError",
    "UnauthorizedError",
    "UnknownJobError",
    "UnknownKeyError",
    "UnknownModelError",
    "UnreadableArtifactError",
    "UnsupportedMediaTypeError",
]


@dataclass(frozen=True, slots=True)
class FieldError:
    """One fault of a request: where it is, and what would be right.

    ``pointer`` is a JSON pointer (RFC 6901) into the body, or ``query/NAME``,
    ``path/NAME``, ``header/NAME`` after a slash; ``row`` counts from 0.
    """

    pointer: str
    detail: str
    row: int | None = None
    column: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the members that are known."""
        known: dict[str, Any] = {"pointer": self.pointer, "detail": self.detail}
        if self.row is not None:
            known["row"] = self.row
        if self.column is not None:
            known["column"] = self.column
        return known


class ApiError(Exception):
    """The root of all errors that are answered as a problem.

    Parameters
    ----------
    detail : str
        One sentence on this case: the thing, what is wrong, the way out.
    errors : iterable of FieldError
        The faults of a body, one by one.
    """

    status: ClassVar[int] = 500
    slug: ClassVar[str] = "internal-error"
    title: ClassVar[str] = "The service failed"
    example: ClassVar[str] = "the request could not be answered; the log says why"
    headers: ClassVar[dict[str, str]] = {}

    def __init__(self, detail: str, errors: Iterable[FieldError] = ()) -> None:
        self.detail, self.errors = detail, tuple(errors)
        super().__init__(detail, self.errors)

    def __str__(self) -> str:
        return self.detail

    def problem(self) -> dict[str, Any]:
        """Return the problem object, ready for JSON."""
        body: dict[str, Any] = {
            "type": f"/problems/{self.slug}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }
        if self.errors:
            body["errors"] = [error.to_json() for error in self.errors]
        return body


class MalformedRequestError(ApiError):
    """A request that cannot be read at all."""

    status, slug, title = 400, "malformed-request", "The request cannot be read"
    example = "the body is no JSON: line 1, column 2"


class UnauthorizedError(ApiError):
    """No key, or one that is not known."""

    status, slug, title = 401, "unauthorized", "A valid key is needed"
    example = "send a key of this service: Authorization: Bearer KEY"
    headers: ClassVar[dict[str, str]] = {"www-authenticate": "Bearer"}


class ForbiddenError(ApiError):
    """A request that no key would open, such as one from a foreign web page."""

    status, slug, title = 403, "forbidden", "The request is not allowed"
    example = "the Host header names another machine; see DEMUR_ALLOWED_HOSTS"


class MissingScopeError(ForbiddenError):
    """A known key that does not open what was asked for."""

    slug, title = "missing-scope", "The key does not open this"
    example = "this needs a key of scope train; the key that was sent has predict"


class NotFoundError(ApiError):
    """An address that leads nowhere."""

    status, slug, title = 404, "not-found", "There is nothing at this address"
    example = "no route has this path; see /docs"


class UnknownModelError(NotFoundError):
    """A model, version or alias that does not exist."""

    slug, title = "unknown-model", "No such model"
    example = "no model has this name; see GET /models"


class UnknownJobError(NotFoundError):
    """A job that does not exist."""

    slug, title = "unknown-job", "No such job"
    example = "no job has this id; see GET /jobs"


class UnknownKeyError(NotFoundError):
    """A key that was never issued."""

    slug, title = "unknown-key", "No such key"
    example = "no issued key has this id; see GET /keys"


class MethodNotAllowedError(ApiError):
    """A known path, asked with another method than it takes."""

    status, slug, title = 405, "method-not-allowed", "The path takes other methods"
    example = "this path does not take DELETE; see /docs"


class RequestTimeoutError(ApiError):
    """A body that was not there in time."""

    status, slug, title = 408, "request-timeout", "The request came too slowly"
    example = "the body did not arrive within 60 seconds (DEMUR_REQUEST_SECONDS)"
    headers: ClassVar[dict[str, str]] = {"connection": "close"}


class ConflictError(ApiError):
    """A request that the present state does not allow."""

    status, slug, title = 409, "conflict", "The present state does not allow this"
    example = (
        "the job has succeeded already; only a queued or running one can be cancelled"
    )


class GateFailedError(ConflictError):
    """A version that an alias may not be moved to: it misses a bar of the gates."""

    slug, title = "gate-failed", "The version does not pass a gate"
    example = "max_reject_rate: the reject rate is 0.31, the bar is 0.2"


class KeyReusedError(ConflictError):
    """An Idempotency-Key that came before, with another body."""

    slug, title = "idempotency-key-reused", "The key belongs to another request"
    example = "this Idempotency-Key came with another body; use a fresh key"


class BodyTooLargeError(ApiError):
    """A body over the limit; it was not read to its end."""

    status, slug, title = 413, "body-too-large", "The body is too large"
    example = "a body may hold 33554432 bytes (DEMUR_MAX_BODY_BYTES)"
    headers: ClassVar[dict[str, str]] = {"connection": "close"}


class UnsupportedMediaTypeError(ApiError):
    """A content type that the route does not take."""

    status, slug, title = 415, "unsupported-media-type", "The content type is not taken"
    example = "send application/json"


class InvalidRequestError(ApiError):
    """A request that can be read, but not accepted."""

    status, slug, title = 422, "invalid-request", "The request is not acceptable"
    example = "one field is not acceptable"


class CorruptArtifactError(ApiError):
    """A model file that is missing or not what was written; it is not loaded."""

    slug, title = "corrupt-artifact", "The model's file is damaged"
    example = "the file of this version is not what was written; train it again"


class UnreadableArtifactError(CorruptArtifactError):
    """A model file as it was written, by versions that this one cannot read."""

    slug, title = "unreadable-artifact", "This version cannot read the model's file"
    example = (
        "the model was stored in format 2, this release reads format 1: train it again"
    )


class TrainingFailedError(ApiError):
    """A training that stopped by a fault of its own."""

    slug, title = "training-failed", "The training failed"
    example = (
        "the training stopped with an unexpected error; the worker's log says more"
    )


class TrainingCrashedError(ApiError):
    """A training whose process died under it."""

    slug, title = "training-crashed", "The training process died"
    example = (
        "the training process was killed by SIGKILL, most often for want of memory"
    )


class TrainingLimitError(ApiError):
    """A training that took more time or memory than it may have."""

    status, slug, title = 422, "training-limit", "The training passed a limit"
    example = "the training ran longer than its 60 seconds (max_seconds)"


class ServiceUnavailableError(ApiError):
    """A request that may well succeed later."""

    status, slug, title = 503, "unavailable", "The service is not available now"
    example = "too many requests wait; try again in a second"
    headers: ClassVar[dict[str, str]] = {"retry-after": "1"}


class NotReadyError(ServiceUnavailableError):
    """A part that the service needs is missing."""

    slug, title = "not-ready", "The service is not ready"
    example = "the database cannot be reached"


class QueueFullError(ServiceUnavailableError):
    """A training that cannot wait: too many do."""

    slug, title = "queue-full", "Too many jobs wait"
    example = "1000 jobs wait already (DEMUR_MAX_QUEUED_JOBS); try again later"
    headers: ClassVar[dict[str, str]] = {"retry-after": "10"}


class TooSlowError(ServiceUnavailableError):
    """A request whose answer took too long; it may still take effect."""

    slug, title = "too-slow", "The answer did not come in time"
    example = "no answer within 60 seconds (DEMUR_REQUEST_SECONDS)"


class StorageFullError(ApiError):
    """The data folder or the database has no room left."""

    status, slug, title = 507, "storage-full", "No storage is left"
    example = "the data folder has no room for this model"
