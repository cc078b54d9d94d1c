"""The P-SVM: labels and probabilities of +1 side by side, with a link of its own."""

from typing import Annotated, Literal

from pydantic import Field

from app.train.base import Positive
from app.train.trainers.svm import KernelMachine

__all__ = ["ProbabilisticLabelTrainer"]


class ProbabilisticLabelTrainer(KernelMachine):
    """The SVM of Niaf et al. for rows whose label is known with a probability."""

    kind: Literal["p-svm"]
    C_prob: Positive = 1.0
    """Weight of the rows that are known with a probability only."""
    eta: Annotated[float, Field(gt=0, lt=0.5)] = 0.1
    """How far a prediction may be from its target probability at no cost."""
