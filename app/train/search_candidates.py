"""From a request with a search to its candidates: requests without one.

Every candidate is a whole request, so that whatever is checked of a request, and
whatever is fitted for it, is the same with a search and without.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.errors import FieldError
from app.errors.faults import at, refuse
from app.train.pairs import pair_errors
from app.train.schemas import TrainRequest
from app.train.search import MOST_CANDIDATES
from app.train.search_grid import Place, combinations, too_many
from app.train.trainers.ensemble import AutoTrainer

__all__ = ["Candidate", "candidates", "request_errors", "searches"]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One request that the search tries.

    Parameters
    ----------
    request : TrainRequest
        Without a search, its trainer and rule as this candidate has them.
    varied : dict
        The parameters that the search varies, by name.
    place : tuple of str or int
        Where the body describes its trainer.
    """

    request: TrainRequest
    varied: dict[str, Any]
    place: Place


def searches(request: TrainRequest) -> bool:
    """Tell whether a request asks for more than one trainer or parameter value."""
    return request.search is not None


def candidates(request: TrainRequest) -> list[Candidate]:
    """Return every candidate; a request without a search is its only one.

    Raises
    ------
    InvalidRequestError
        When a parameter has no such name, or a value does not fit.
    """
    if not searches(request):
        return [Candidate(request, {}, ("trainer",))]
    found, faults = _spread(request)
    if faults:
        raise refuse(faults)
    return found


def request_errors(request: TrainRequest) -> list[FieldError]:
    """Return every fault of a request, or of its candidates, without its table."""
    if not searches(request):
        return pair_errors(request)
    found, faults = _spread(request)
    if faults:
        return faults
    for candidate in found:
        for error in pair_errors(candidate.request):
            pointer = error.pointer
            if pointer.startswith("/trainer"):
                pointer = at(*candidate.place) + pointer.removeprefix("/trainer")
            faults.append(FieldError(pointer, error.detail))
    return list({(fault.pointer, fault.detail): fault for fault in faults}.values())


def _spread(request: TrainRequest) -> tuple[list[Candidate], list[FieldError]]:
    """Return the candidates, or why there are none."""
    faults = list(_conflicts(request))
    if faults:
        return [], faults
    found: list[Candidate] = []
    search = request.search
    if search is not None and search.candidates is not None:
        for i, one in enumerate(search.candidates):
            own = one.model_dump(exclude_unset=True, exclude={"params"})
            place = ("search", "candidates", i)
            made, wrong = _grid(request, own, one.params or {}, place)
            found, faults = found + made, faults + wrong
    elif search is not None:
        own = request.trainer.model_dump(exclude_unset=True)
        found, faults = _grid(request, own, search.params or {}, ("trainer",))
    if len(found) > MOST_CANDIDATES:
        faults.append(too_many("/search", len(found)))
    return found, faults


def _conflicts(request: TrainRequest) -> Iterator[FieldError]:
    search, automatic = request.search, isinstance(request.trainer, AutoTrainer)
    if search is None:
        return
    if search.candidates is not None and not automatic:
        yield FieldError(
            "/trainer", "leave it out: /search/candidates names the trainers to compare"
        )
    if search.candidates is None and automatic:
        yield FieldError(
            "/search",
            "leave it out: auto weighs members on folds of its own; or name trainers to"
            " compare as /search/candidates, each with params of its own",
        )
    if search.params is None and search.candidates is None and not automatic:
        yield FieldError(
            "/search", '"params" (values to try) or "candidates" (trainers) is needed'
        )


def _grid(
    request: TrainRequest,
    own: Mapping[str, Any],
    params: Mapping[str, list[Any]],
    place: Place,
) -> tuple[list[Candidate], list[FieldError]]:
    """Return a candidate for each combination of one trainer's values."""
    trainers, faults = combinations(own, params, place)
    made = [
        Candidate(
            request.model_copy(update={"trainer": trainer, "search": None}),
            varied,
            place,
        )
        for trainer, varied in trainers
    ]
    return made, faults
