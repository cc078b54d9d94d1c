"""Errors of the service and of its trainings (5xx, and a training's limits)."""

from typing import ClassVar

from app.errors.base import ApiError


class CorruptArtifactError(ApiError):
    """A model file that is missing or not what was written; it is not loaded."""

    slug, title = "corrupt-artifact", "The model's file is damaged"
    example = "the file of this version is not what was written; train it again"


class UnreadableArtifactError(CorruptArtifactError):
    """A model file as it was written, by versions that this one cannot read."""

    slug, title = "unreadable-artifact", "This version cannot read the model's file"
    example = (
        "the model was stored in format 4, this release reads formats up to 3: train it"
        " again"
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
