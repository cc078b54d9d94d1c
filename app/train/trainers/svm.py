"""Kernel machines: the double hinge, the multi-hinge, the hinge and the P-SVM.

The P-SVM reads labels and probabilities of +1 side by side, with a link of its own.
"""

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from app.strict import StrictModel
from app.train.base import Eta, Share, TrainerChoice, Weight
from app.train.trainers.kernels import Kernel, RbfKernel
from app.train.trainers.reduction import MOST_LANDMARKS, Reduction

__all__ = [
    "Approximation",
    "DoubleHingeTrainer",
    "HingeTrainer",
    "KernelMachine",
    "MultiHingeTrainer",
    "ProbabilisticLabelTrainer",
    "ReducibleMachine",
]


class Approximation(StrictModel):
    """Nystrom's: the kernel as its values at some training rows tell it."""

    landmarks: Annotated[int, Field(ge=1, le=MOST_LANDMARKS)]
    """Rows, drawn at random, that become the support vectors: at most a tenth of all
    rows, and 5,000. A few hundred to a thousand do for most tables."""


class KernelMachine(TrainerChoice):
    """Parameters that all machines on the dual core share."""

    C: Weight = 1.0
    """Weight of the losses against the norm; larger fits the rows closer. From 1e-9 to
    1e9: beyond, one of the two is lost in rounding."""
    kernel: Kernel = RbfKernel(kind="rbf")
    solver: Literal["auto", "active-set", "decomposition"] = "auto"
    tol: Annotated[float, Field(ge=1e-9, le=1)] = 1e-3
    """Largest disagreement about the bias at which the solver stops; below 1e-9
    rounding disagrees more."""
    max_iter: Literal[-1] | Annotated[int, Field(ge=1, le=10**12)] = -1
    """Largest number of solver steps, at least one, or nothing is learnt; -1 sets no
    limit."""
    cache_size: Annotated[float, Field(ge=1, le=4096)] = 200.0
    """Memory for kernel rows, in megabytes: less than one holds no rows. With an
    approximation, memory for its features: where they take more, they are computed
    again and again."""
    approximation: Approximation | None = None
    """For many rows: the time grows with the rows then, not almost with their square.
    The version's duality gap is that of the approximated problem."""
    class_weight: Literal["balanced"] | None = None
    """``balanced`` weighs the classes as if they were equally frequent. Probabilities,
    prices and thresholds stay those of the rows as they come; rules that believe the
    score itself (``plug-in``, ``bartlett-wegkamp``) are refused beside it."""


class ReducibleMachine(KernelMachine):
    """A machine of labels, which rows can be taken from before it trains."""

    reduction: Reduction | None = None
    """How rows are chosen that leave, so that fewer support vectors stay."""


class DoubleHingeTrainer(ReducibleMachine):
    """The double-hinge SVM of Grandvalet et al.: its loss is made for the costs."""

    kind: Literal["double-hinge-svm"]


class HingeTrainer(ReducibleMachine):
    """The ordinary SVM with hinge loss; a score rule adds the reject option."""

    kind: Literal["svm"]


def _ascending(probabilities: list[float]) -> list[float]:
    if any(low >= high for low, high in pairwise(probabilities)):
        msg = "probabilities ascend, each larger than the one before"
        raise ValueError(msg)
    return probabilities


Bounds = Annotated[
    list[Share], Field(min_length=1, max_length=20), AfterValidator(_ascending)
]


class MultiHingeTrainer(KernelMachine):
    """The multi-hinge SVM of Grandvalet et al., which rates its confidence in bands."""

    kind: Literal["multi-hinge-svm"]
    probabilities: Bounds = Field(default=[0.1, 0.3, 0.5, 0.7, 0.9])
    """Of +1, between the bands: ascending, from 1e-6 to 1 - 1e-6. Each answer
    has the ``band`` of its row: how many of them lie below the row's own, as the
    machine's score tells it."""


class ProbabilisticLabelTrainer(KernelMachine):
    """The SVM of Niaf et al. for rows whose label is known with a probability."""

    kind: Literal["p-svm"]
    C_prob: Weight = 1.0
    """Weight of the rows that are known with a probability only."""
    eta: Eta = 0.1
    """How far a prediction may be from its target probability at no cost. At 1/2 any
    prediction is right, near 0 only one that no score reaches."""
