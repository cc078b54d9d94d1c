"""The errors about data sets."""

from app.errors import ApiError, ConflictError, NotFoundError

__all__ = [
    "CorruptDatasetError",
    "DatasetInUseError",
    "OutlierGuardsError",
    "UnknownDatasetError",
]


class UnknownDatasetError(NotFoundError):
    """A data set that does not exist."""

    slug, title = "unknown-dataset", "No such data set"
    example = "no data set has this id; see GET /datasets"


class DatasetInUseError(ConflictError):
    """A data set that a waiting or running job needs."""

    slug, title = "dataset-in-use", "A job needs the data set"
    example = "1 job that waits or runs needs this data set; cancel it, or wait"


class OutlierGuardsError(ConflictError):
    """A data set whose rows the outlier guards of versions consist of."""

    slug, title = "outlier-guards", "Models would lose their outlier guard"
    example = (
        "the outlier guard of pima:1 consists of rows of this data set: say"
        " outlier_guards=drop, and it answers without it; or delete it first"
    )


class CorruptDatasetError(ApiError):
    """A file that is missing or not what was written; it is not read."""

    slug, title = "corrupt-dataset", "The data set's file is damaged"
    example = "the file of this data set is not what was written; upload it again"
