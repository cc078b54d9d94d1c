"""Kernel machines: the double hinge, the multi-hinge, the hinge and the P-SVM.

The P-SVM reads labels and probabilities of +1 side by side, with a link of its own.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field, create_model

from app.strict import MadeModel, StrictModel
from app.train.base import Share, TrainerChoice
from app.train.trainers.declared import members, of_kind
from app.train.trainers.kernels import RBF, Kernel
from app.train.trainers.reduction import Reduction
from solvers.kernel_declarations import LANDMARKS, MACHINE, MACHINES

__all__ = [
    "Approximation",
    "DoubleHingeTrainer",
    "HingeTrainer",
    "KernelMachine",
    "MultiHingeTrainer",
    "ProbabilisticLabelTrainer",
    "ReducibleMachine",
]

if TYPE_CHECKING:
    Approximation = StrictModel
else:
    Approximation = create_model(
        "Approximation",
        __base__=MadeModel,
        __doc__="Nystrom's: the kernel as its values at some training rows tell it.",
        **members((LANDMARKS,)),
    )


class KernelMachine(TrainerChoice):
    """What all machines on the dual core have beside their declared parameters."""

    kernel: Kernel = RBF
    approximation: Approximation | None = None
    """For many rows: the time grows with the rows then, not almost with their square.
    The version's duality gap is that of the approximated problem."""


class ReducibleMachine(KernelMachine):
    """A machine of labels, which rows can be taken from before it trains."""

    reduction: Reduction | None = None
    """How rows are chosen that leave, so that fewer support vectors stay."""


def _ascending(probabilities: list[float]) -> list[float]:
    if any(low >= high for low, high in pairwise(probabilities)):
        msg = "probabilities ascend, each larger than the one before"
        raise ValueError(msg)
    return probabilities


Bounds = Annotated[
    list[Share], Field(min_length=1, max_length=20), AfterValidator(_ascending)
]


class _Rating(KernelMachine):
    """A machine that rates its confidence in bands."""

    probabilities: Bounds = Field(default=[0.1, 0.3, 0.5, 0.7, 0.9])
    """Of +1, between the bands: ascending, from 1e-6 to 1 - 1e-6. Each answer
    has the ``band`` of its row: how many of them lie below the row's own, as the
    machine's score tells it."""


def _machine(kind: str, title: str, base: type[KernelMachine], summary: str) -> Any:
    declared = (*MACHINE, *MACHINES[kind])
    return of_kind(kind, f"{title}Trainer", summary, declared, base)


DoubleHingeTrainer = _machine(
    "double-hinge-svm",
    "DoubleHinge",
    ReducibleMachine,
    "The double-hinge SVM of Grandvalet et al.: its loss is made for the costs.",
)
HingeTrainer = _machine(
    "svm",
    "Hinge",
    ReducibleMachine,
    "The ordinary SVM with hinge loss; a score rule adds the reject option.",
)
MultiHingeTrainer = _machine(
    "multi-hinge-svm",
    "MultiHinge",
    _Rating,
    "The multi-hinge SVM of Grandvalet et al., which rates its confidence in bands.",
)
ProbabilisticLabelTrainer = _machine(
    "p-svm",
    "ProbabilisticLabel",
    KernelMachine,
    "The SVM of Niaf et al. for rows whose label is known with a probability.",
)
