"""Every error that the service answers with, as problem details (RFC 9457).

    ApiError                        500
    ├── MalformedRequestError       400  a body or header that cannot be read at all
    ├── UnauthorizedError           401  no key, or an unknown one
    ├── ForbiddenError              403  a foreign Host or Origin
    │   └── MissingScopeError       403  a key that opens less than was asked for
    ├── NotFoundError               404  no such address
    │   ├── UnknownModelError       404
    │   ├── UnknownJobError         404
    │   ├── UnknownKeyError         404
    │   ├── UnknownPersonError      404
    │   ├── UnknownPolicyError      404  a model without a review policy
    │   ├── UnknownCaseError        404
    │   ├── UnknownClaimError       404
    │   └── UnknownAlarmError       404
    ├── MethodNotAllowedError       405
    ├── RequestTimeoutError         408  the body did not come in time
    ├── ConflictError               409  the state does not allow it
    │   ├── GateFailedError         409  a version that misses a bar of a gate
    │   ├── KeyReusedError          409  an Idempotency-Key with another body
    │   └── ClaimLostError          409  a claim that is no longer this person's
    ├── BodyTooLargeError           413
    ├── TooManyRowsError            413  of one POST /predict
    ├── UriTooLongError             414
    ├── UnsupportedMediaTypeError   415
    ├── InvalidRequestError         422  read, but not acceptable
    ├── HeadTooLargeError           431  too many or too long header lines
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

from app.errors.base import ApiError, FieldError
from app.errors.failed import (
    CorruptArtifactError,
    NotReadyError,
    QueueFullError,
    ServiceUnavailableError,
    StorageFullError,
    TooSlowError,
    TrainingCrashedError,
    TrainingFailedError,
    TrainingLimitError,
    UnreadableArtifactError,
)
from app.errors.refused import (
    BodyTooLargeError,
    ClaimLostError,
    ConflictError,
    ForbiddenError,
    GateFailedError,
    HeadTooLargeError,
    InvalidRequestError,
    KeyReusedError,
    MalformedRequestError,
    MethodNotAllowedError,
    MissingScopeError,
    NotFoundError,
    RequestTimeoutError,
    TooManyRowsError,
    UnauthorizedError,
    UnknownAlarmError,
    UnknownCaseError,
    UnknownClaimError,
    UnknownJobError,
    UnknownKeyError,
    UnknownModelError,
    UnknownPersonError,
    UnknownPolicyError,
    UnsupportedMediaTypeError,
    UriTooLongError,
)

__all__ = [
    "ApiError",
    "BodyTooLargeError",
    "ClaimLostError",
    "ConflictError",
    "CorruptArtifactError",
    "FieldError",
    "ForbiddenError",
    "GateFailedError",
    "HeadTooLargeError",
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
    "TooManyRowsError",
    "TooSlowError",
    "TrainingCrashedError",
    "TrainingFailedError",
    "TrainingLimitError",
    "UnauthorizedError",
    "UnknownAlarmError",
    "UnknownCaseError",
    "UnknownClaimError",
    "UnknownJobError",
    "UnknownKeyError",
    "UnknownModelError",
    "UnknownPersonError",
    "UnknownPolicyError",
    "UnreadableArtifactError",
    "UnsupportedMediaTypeError",
    "UriTooLongError",
]
