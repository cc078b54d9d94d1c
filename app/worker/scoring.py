"""A job that decides rows, in its process: planned once, then each of its parts."""

from collections.abc import Callable
from typing import Any

import msgspec

from app.errors import InvalidRequestError
from app.score.deciding import decide
from app.score.places import RefusedPlaceError
from app.score.planning import plan
from app.score.schemas import Source
from app.settings import Settings
from app.worker.messages import Decided, Planned
from app.worker.patience import patiently

__all__ = ["child_settings", "score"]

_TOLD = {
    name
    for name in Settings.model_fields
    if name
    in {"data_dir", "store", "store_cache_bytes", "score_places", "database_url"}
    or name.startswith(("max_dataset_", "max_cell_", "max_upload_"))
}


def child_settings(settings: Settings) -> dict[str, Any]:
    """Return what the process is told of its worker's: places and limits."""
    return settings.model_dump(mode="json", include=_TOLD)


def score(
    body: bytes, settings: dict[str, Any], progress: Callable[[float, str], bool]
) -> Planned | Decided:
    """Plan a job, or do one of its parts.

    Raises
    ------
    ApiError
        What is wrong with its source, its target or its rows.
    Interrupted
        When it is cancelled.
    """
    own = Settings.model_validate(settings)
    source = msgspec.json.decode(body, type=Source)
    try:
        if source.shard is None:
            return Planned(patiently(lambda: plan(own, source, progress), progress))
        return Decided(patiently(lambda: decide(own, source, progress), progress))
    except RefusedPlaceError as error:  # a setting was changed meanwhile
        raise InvalidRequestError(str(error)) from None
