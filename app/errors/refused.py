"""Errors of the request: it must change before it can succeed (4xx)."""

from typing import ClassVar

from app.errors.base import ApiError


class MalformedRequestError(ApiError):
    """A request that cannot be read at all."""

    status, slug, title = 400, "malformed-request", "The request cannot be read"
    example = "the body is no JSON: line 1, column 2"


class UnauthorizedError(ApiError):
    """No key, or one that is not known."""

    status, slug, title = 401, "unauthorized", "A valid key is needed"
    example = (
        "send a key of this service: Authorization: Bearer KEY; where it runs, `demur"
        " key create` makes one"
    )
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


class UnknownPersonError(NotFoundError):
    """A person who was never taken in."""

    slug, title = "unknown-person", "No such person"
    example = "no person has this id; see GET /people"


class UnknownPolicyError(NotFoundError):
    """A model whose rejects nobody reviews."""

    slug, title = "no-review-policy", "The model has no review policy"
    example = "the model has no review policy; see PUT /models/{name}/review"


class UnknownCaseError(NotFoundError):
    """A case that does not exist, or no longer."""

    slug, title = "unknown-case", "No such case"
    example = "no case has this id; see GET /cases"


class UnknownClaimError(NotFoundError):
    """A claim or verdict that was never given to anybody."""

    slug, title = "unknown-claim", "No such claim"
    example = "no claim has this id; take one by POST /claims"


class UnknownAlarmError(NotFoundError):
    """An alarm that was never raised."""

    slug, title = "unknown-alarm", "No such alarm"
    example = "the model has no such alarm; see GET /models/{name}/monitor"


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


class ClaimLostError(ConflictError):
    """A claim that is no longer this person's."""

    slug, title = "claim-lost", "The claim is no longer yours"
    example = "the claim's time was over: nothing was saved; take one by POST /claims"


class BodyTooLargeError(ApiError):
    """A body over the limit; it was not read to its end."""

    status, slug, title = 413, "body-too-large", "The body is too large"
    example = "a body may hold 33554432 bytes (DEMUR_MAX_BODY_BYTES)"
    headers: ClassVar[dict[str, str]] = {"connection": "close"}


class TooManyRowsError(ApiError):
    """More rows than one request may have."""

    status, slug, title = 413, "too-many-rows", "The request has too many rows"
    example = (
        "1000001 rows; one request may have 1000000 (DEMUR_MAX_PREDICT_ROWS): send"
        " several, or a file to POST /predict/batch"
    )


class UnsupportedMediaTypeError(ApiError):
    """A content type that the route does not take."""

    status, slug, title = 415, "unsupported-media-type", "The content type is not taken"
    example = "send application/json"


class UriTooLongError(ApiError):
    """An address that is longer than any of this service."""

    status, slug, title = 414, "uri-too-long", "The address is too long"
    example = "an address has 16384 bytes at most"


class HeadTooLargeError(ApiError):
    """A head with more or longer lines than a request needs."""

    status, slug, title = 431, "head-too-large", "The head of the request is too large"
    example = "a head has 100 lines of 16384 bytes at most, and 65536 bytes in all"


class InvalidRequestError(ApiError):
    """A request that can be read, but not accepted."""

    status, slug, title = 422, "invalid-request", "The request is not acceptable"
    example = "one field is not acceptable"
