"""What the pipeline needs to know of a trainer: how it is made, what it tells.

The modules of this package load numba and scikit-learn, so they are imported by the
process that trains (before it has a job, so that none waits for it), and nowhere else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

from app.artifacts.rating import Rating
from app.train.base import TrainerChoice
from app.train.trainers.kernels import kernel_parameters
from solvers.costs import CostMatrix

__all__ = ["Builder", "Facts", "Setting", "made_by", "parameters"]

Facts = dict[str, Any]


def _no_facts(*_: Any) -> Facts:
    return {}


def parameters(trainer: TrainerChoice) -> dict[str, Any]:
    """Return the constructor arguments that a request gives, a reduction's apart."""
    chosen = trainer.model_dump(exclude={"kind", "kernel", "reduction"})
    chosen |= chosen.pop("approximation", None) or {}
    kernel = getattr(trainer, "kernel", None)
    return chosen if kernel is None else {**chosen, **kernel_parameters(kernel)}


def made_by(estimator: type, **fixed: Any) -> Callable[[Any, "Setting"], Any]:
    """Return how a class is made that takes a trainer's parameters as they are.

    Of prices, seed and columns of categories it is told what its constructor takes.

    Parameters
    ----------
    estimator : class
    **fixed
        What the request does not say.
    """
    takes = signature(estimator).parameters

    def make(trainer: TrainerChoice, setting: Setting) -> Any:
        beside = {
            "costs": setting.costs,
            "random_state": setting.seed,
            "categorical_features": list(setting.categorical) or None,
        }
        options = {name: value for name, value in beside.items() if name in takes}
        return estimator(**options, **fixed, **parameters(trainer))

    return make


def _silence(_: Any) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Setting:
    """What an estimator is told beside its trainer's own parameters.

    Parameters
    ----------
    costs : CostMatrix or None
    seed : int
    categorical : tuple of int
        The encoded columns that hold codes of categories (only where the estimator
        reads missing values itself; elsewhere each category has a column).
    """

    costs: CostMatrix | None
    seed: int
    categorical: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Builder:
    """How a trainer becomes an estimator.

    Parameters
    ----------
    make : function (trainer parameters, Setting) -> estimator
    facts : function (fitted estimator, names of the encoded columns) -> dict
        JSON facts for the version.
    missing_native : bool
        Whether the estimator reads NaN itself.
    compare : function (fitted estimator, matrix, signs, weights) -> dict
        What the evaluation says beyond the figures that every model has.
    notes : function (fitted estimator) -> list of str
        What its user should know.
    link : function (fitted estimator) -> float, optional
        Slope of the estimator's own link P(y = +1) = 1 / (1 + exp(-slope f)), which
        takes the place of a calibration where it is believed (`Job.link`).
    rating : function (fitted estimator) -> Rating, optional
        The bands of confidence of an estimator that rates rows.
    keeps_apart : bool
        Whether its fit keeps rows apart by itself (early stopping), and so takes
        ``groups``.
    takes_prices : bool
        Whether its fit takes the prices of each row, where they differ, as ``costs``.
    learns : bool
        Whether it learns from rows; else no score is of a row that it has seen.
    scores_unseen : bool
        Whether its fit takes folds as ``cv`` and leaves the scores of rows that they
        test as ``oof_scores_`` and ``oof_rows_``: no other folds are fitted then.
    """

    make: Callable[[Any, Setting], Any]
    facts: Callable[[Any, Sequence[str]], Facts] = _no_facts
    missing_native: bool = False
    compare: Callable[[Any, Any, Any, Any], Facts] = _no_facts
    notes: Callable[[Any], list[str]] = _silence
    link: Callable[[Any], float] | None = None
    rating: Callable[[Any], Rating] | None = None
    keeps_apart: bool = False
    takes_prices: bool = False
    learns: bool = True
    scores_unseen: bool = False
