"""The P-SVM: labels and probabilities of +1 side by side, with a link of its own."""

from typing import Literal

from app.train.base import Eta, Weight
from app.train.trainers.svm import KernelMachine

__all__ = ["ProbabilisticLabelTrainer"]


class ProbabilisticLabelTrainer(KernelMachine):
    """The SVM of Niaf et al. for rows whose label is known with a probability."""

    kind: Literal["p-svm"]
    C_prob: Weight = 1.0
    """Weight of the rows that are known with a probability only."""
    eta: Eta = 0.1
    """How far a prediction may be from its target probability at no cost. At 1/2 any
    prediction is right, near 0 only one that no score reaches."""
