"""The combinations of a search's parameter values, each a whole trainer.

A name is a path into the trainer's object; a value is what the object has there. A
fault is reported at the value's own place in the body.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import product
from math import prod
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from app.errors import FieldError
from app.errors.faults import at
from app.errors.validation import field_errors
from app.strict import StrictModel
from app.train.search import MOST_CANDIDATES
from app.train.trainers.kernels import Kernel
from app.train.trainers.reduction import FirstStage, Reduction
from app.train.trainers.registry import Trainer
from app.train.trainers.svm import Approximation

__all__ = ["TRAINER", "Place", "combinations", "too_many"]

Place = tuple[str | int, ...]
Varied = dict[str, Any]

TRAINER: TypeAdapter[Any] = TypeAdapter(Trainer)
_NESTED = {
    "kernel": get_args(get_args(Kernel)[0]),
    "approximation": (Approximation,),
    "reduction": get_args(get_args(Reduction)[0]),
    "reduction.first_stage": (FirstStage,),
}
_DEFAULT_KERNEL = {"kind": "rbf"}


def combinations(
    own: Mapping[str, Any], params: Mapping[str, list[Any]], place: Place
) -> tuple[list[tuple[Any, Varied]], list[FieldError]]:
    """Return a trainer, and what was varied, for each combination of the values.

    Parameters
    ----------
    own : mapping
        The trainer as the body has it, defaults left out.
    params : mapping
        Values by the parameter's name.
    place : tuple
        Where the body has the trainer.

    Returns
    -------
    trainers, faults
        No trainers where a name or the number of combinations is at fault.
    """
    # One trainer has its values beside it, a list of them has them inside each.
    where = ("search",) if place == ("trainer",) else place
    faults = [*_misnamed(own["kind"], params, where), *_repeated(params, where)]
    count = prod(len(values) for values in params.values())
    if count > MOST_CANDIDATES:
        faults.append(too_many(at(*where, "params"), count))
    if faults:
        return [], faults
    made = []
    wrong: dict[tuple[str, str], FieldError] = {}
    for indices in product(*(range(len(values)) for values in params.values())):
        chosen = dict(zip(params, indices, strict=True))
        varied = {name: params[name][i] for name, i in chosen.items()}
        raw = _with(own, varied)
        try:
            made.append((TRAINER.validate_python(raw), varied))
        except ValidationError as error:
            for fault in field_errors(error, raw, TRAINER):
                blamed = _blamed(fault.pointer, chosen, where)
                pointer = blamed or at(*place) + fault.pointer
                key = pointer, fault.detail
                wrong.setdefault(key, FieldError(*key))
    return made, list(wrong.values())


def too_many(pointer: str, count: int) -> FieldError:
    """Return the fault of more candidates than one search takes."""
    return FieldError(
        pointer,
        f"these are {count} candidates, at most {MOST_CANDIDATES} are tried in one"
        " search; list fewer values",
    )


def _misnamed(
    kind: str, params: Mapping[str, list[Any]], where: Place
) -> Iterator[FieldError]:
    allowed = _names(kind)
    for name in params:
        if name not in allowed:
            yield FieldError(
                at(*where, "params", name[:80]),
                f"the trainer {kind} has no such parameter; it has:"
                f" {', '.join(allowed)}",
            )


def _names(kind: str) -> list[str]:
    """Return the names of a trainer's parameters, those of nested objects dotted."""
    schema = next(
        one
        for one in get_args(get_args(Trainer)[0])
        if get_args(one.model_fields["kind"].annotation) == (kind,)
    )
    return list(_fields(schema, ""))


def _fields(schema: type[StrictModel], before: str) -> Iterator[str]:
    for field in schema.model_fields:
        name = before + field
        if name == "kind":
            continue
        yield name
        inner = (f for one in _NESTED.get(name, ()) for f in _fields(one, f"{name}."))
        yield from dict.fromkeys(inner)


def _repeated(params: Mapping[str, list[Any]], where: Place) -> Iterator[FieldError]:
    for name, values in params.items():
        for i, value in enumerate(values):
            if any(
                value == other and type(value) is type(other) for other in values[:i]
            ):
                place = at(*where, "params", name[:80], i)
                yield FieldError(place, "the value is listed before already")


def _with(own: Mapping[str, Any], varied: Mapping[str, Any]) -> dict[str, Any]:
    """Return a trainer's object with some of its values replaced."""
    raw = deepcopy(dict(own))
    # An object as a whole comes before what is changed inside it.
    for name in sorted(varied, key=lambda name: name.count(".")):
        *path, last = name.split(".")
        here = raw
        for key in path:
            inner = here.get(key)
            if not isinstance(inner, dict):
                inner = dict(_DEFAULT_KERNEL) if key == "kernel" else {}
                here[key] = inner
            here = inner
        here[last] = deepcopy(varied[name])
    return raw


def _blamed(pointer: str, indices: Mapping[str, int], where: Place) -> str | None:
    """Return the place of the value in ``params`` that a fault comes from, if any."""
    dotted = pointer.lstrip("/").replace("/", ".") + "."
    guilty = [name for name in indices if dotted.startswith(f"{name}.")]
    if not guilty:
        return None
    name = max(guilty, key=len)
    return at(*where, "params", name, indices[name])
