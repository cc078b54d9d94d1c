"""What a training request resolves to: its candidates, and whether all goes together.

Every candidate is a whole request, so that whatever is checked of a request, and
whatever is fitted for it, is the same with a search and without.

A plan is made once, where a training is asked for, and stored with its job as JSON; the
process that trains reads it there.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.errors import FieldError
from app.errors.faults import at, refuse
from app.strict import StrictModel
from app.train.base import TrainerChoice
from app.train.compatibility import (
    compatibility_errors,
    cost_matrix,
    guards_of,
    promises,
    rule_of,
)
from app.train.rules import RULE, RuleChoice
from app.train.schemas import Guards, TrainRequest
from app.train.search import MOST_CANDIDATES
from app.train.search_grid import TRAINER, Place, combinations, too_many
from solvers.costs import CostMatrix

__all__ = ["FORMAT", "Candidate", "TrainingPlan"]

FORMAT = 1
"""Of stored plans: raised when a release cannot read those of the one before."""


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


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPlan:
    """A request whose parts go together, and what it resolves to; made once.

    Parameters
    ----------
    request : TrainRequest
        As it was sent, without its rows.
    candidates : tuple of Candidate
        What is tried; without a search the request is its only one.
    rule : RuleChoice
        The one that is named, or what the prices call for.
    guards : Guards
        With what the request leaves open filled in.
    promises : bool
        Whether the rule gives a promise.
    costs : CostMatrix or None
        None where there are none, or some follow columns.
    """

    request: TrainRequest
    candidates: tuple[Candidate, ...]
    rule: RuleChoice
    guards: Guards
    promises: bool
    costs: CostMatrix | None

    @classmethod
    def of(cls, request: TrainRequest) -> "TrainingPlan":
        """Return the plan of a request.

        Raises
        ------
        InvalidRequestError
            When trainer, rule, costs and options do not go together, or a parameter
            of a search has no such name or value; every error names its place.
        """
        found = [Candidate(request, {}, ("trainer",))]
        faults: list[FieldError] = []
        if request.search is not None:
            found, faults = _spread(request)
        faults = faults or list(_compatibility_faults(found))
        if faults:
            raise refuse({(one.pointer, one.detail): one for one in faults}.values())
        return cls(
            request,
            tuple(found),
            rule_of(request),
            guards_of(request),
            promises(request),
            cost_matrix(request.costs),
        )

    def payload(self) -> dict[str, Any]:
        """Return the plan as JSON values, for `from_payload`."""
        request, search = self.request, self.request.search
        return {
            "format": FORMAT,
            "request": {
                **_as_sent(request, exclude={"trainer", "search"}),
                "trainer": _as_sent(request.trainer),
                "search": None if search is None else {"folds": search.folds},
            },
            "candidates": [
                [_as_sent(one.request.trainer), one.varied, one.place]
                for one in self.candidates
            ],
            "rule": _as_sent(self.rule),
            "guards": _as_sent(self.guards),
            "promises": self.promises,
        }

    @classmethod
    def from_payload(cls, facts: Mapping[str, Any]) -> "TrainingPlan":
        """Read a plan of this release's `FORMAT`; nothing is chosen or checked."""
        request = TrainRequest.model_validate(facts["request"])
        candidates = (
            Candidate(_tried(request, TRAINER.validate_python(raw)), varied, (*place,))
            for raw, varied, place in facts["candidates"]
        )
        return cls(
            request,
            tuple(candidates),
            RULE.validate_python(facts["rule"]),
            Guards.model_validate(facts["guards"]),
            facts["promises"],
            cost_matrix(request.costs),
        )

    def at_seed(self, seed: int) -> "TrainingPlan":
        """Return the plan with its rows drawn by another seed."""

        def drawn(request: TrainRequest) -> TrainRequest:
            evaluation = request.evaluation.model_copy(update={"seed": seed})
            return request.model_copy(update={"evaluation": evaluation})

        return replace(
            self,
            request=drawn(self.request),
            candidates=tuple(
                replace(one, request=drawn(one.request)) for one in self.candidates
            ),
        )


def _compatibility_faults(candidates: Iterable[Candidate]) -> Iterator[FieldError]:
    for i, candidate in enumerate(candidates):
        for error in compatibility_errors(candidate.request, try_rule=i == 0):
            pointer = error.pointer
            if pointer.startswith("/trainer"):
                pointer = at(*candidate.place) + pointer.removeprefix("/trainer")
            yield FieldError(pointer, error.detail)


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
    search, automatic = request.search, request.trainer.kind == "auto"
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
        Candidate(_tried(request, trainer), varied, place)
        for trainer, varied in trainers
    ]
    return made, faults


def _tried(request: TrainRequest, trainer: TrainerChoice) -> TrainRequest:
    return request.model_copy(update={"trainer": trainer, "search": None})


def _as_sent(part: StrictModel, exclude: set[str] | None = None) -> dict[str, Any]:
    """Return a part as it was sent: an ensemble names its members by that."""
    return part.model_dump(by_alias=True, exclude_unset=True, exclude=exclude)
