"""From a request with a search to its candidates: requests without one.

Every candidate is a whole request, so that whatever is checked of a request, and
whatever is fitted for it, is the same with a search and without.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from app.errors import FieldError
from app.train.pairs import pair_errors
from app.train.refusal import at, refuse
from app.train.rules import Rule
from app.train.schemas import TrainRequest
from app.train.search import MOST_CANDIDATES, AutoTrainer
from app.train.search_grid import Place, combinations, too_many
from app.train.trainers.registry import TRAINERS

__all__ = ["Candidate", "candidates", "request_errors", "searches"]

_RULE: TypeAdapter[Any] = TypeAdapter(Rule)
_AUTO_C = [0.1, 1.0, 10.0]
_AUTO: dict[str, dict[str, list[Any]]] = {
    "double-hinge-svm": {"C": _AUTO_C},
    "svm": {"C": _AUTO_C},
    "gradient-boosting": {},
}
_AUTO_RULES = ("plug-in", "chow", "expected-cost")
_AUTO_RULES_WITHOUT_COSTS = ("mutual-information",)


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
    return request.search is not None or isinstance(request.trainer, AutoTrainer)


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
    elif isinstance(request.trainer, AutoTrainer):
        found = list(_automatic(request))
        if not found:
            faults = [FieldError("/rule/kind", _no_automatic())]
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
    if search.params is not None and automatic:
        yield FieldError(
            "/search/params",
            "with several trainers each candidate has its own: give them as"
            " /search/candidates/0/params and so on",
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


def _automatic(request: TrainRequest) -> Iterator[Candidate]:
    """Yield what ``auto`` tries: trainers, with the rules that fit."""
    if request.rule is not None:
        rules = [request.rule]
    else:
        names = _AUTO_RULES if request.costs is not None else _AUTO_RULES_WITHOUT_COSTS
        rules = [_RULE.validate_python({"kind": name}) for name in names]
    for kind, params in _AUTO.items():
        made, _ = _grid(request, {"kind": kind}, params, ("trainer",))
        for rule in rules:
            if rule.kind not in TRAINERS[kind].rules:
                continue
            for one in made:
                tried = one.request.model_copy(update={"rule": rule})
                yield Candidate(tried, one.varied, ("trainer",))


def _no_automatic() -> str:
    fitting = dict.fromkeys(rule for kind in _AUTO for rule in TRAINERS[kind].rules)
    return (
        f"the rule fits none of the trainers that auto tries ({', '.join(_AUTO)});"
        f" rules that fit: {', '.join(fitting)}"
    )
