"""Kernel machines on labelled rows: the double hinge, and the plain hinge."""

from typing import Annotated, Literal

from pydantic import Field

from app.strict import StrictModel
from app.train.base import Positive
from app.train.trainers.kernels import Kernel, RbfKernel
from app.train.trainers.reduction import Reduction

__all__ = ["DoubleHingeTrainer", "HingeTrainer", "KernelMachine", "ReducibleMachine"]


class KernelMachine(StrictModel):
    """Parameters that all machines on the dual core share."""

    C: Positive = 1.0
    """Weight of the losses against the norm; larger fits the rows closer."""
    kernel: Kernel = RbfKernel(kind="rbf")
    solver: Literal["auto", "active-set", "decomposition"] = "auto"
    tol: Annotated[float, Field(gt=0, le=1)] = 1e-3
    """Largest disagreement about the bias at which the solver stops."""
    max_iter: Annotated[int, Field(ge=-1)] = -1
    """Largest number of solver steps; -1 sets no limit."""
    cache_size: Annotated[float, Field(gt=0, le=4096)] = 200.0
    """Memory for kernel rows, in megabytes."""
    class_weight: Literal["balanced"] | None = None
    """``balanced`` weighs the classes as if they were equally frequent."""


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
