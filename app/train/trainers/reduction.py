"""Reductions of a kernel machine: rows that would not help it leave before it trains.

=========  ====================================================================
m1rs       one machine rejects rows by a posterior; threshold by ``w_r R + E``
m2rs       two machines with opposite class weights reject where they disagree
sca        rows that the first machine gets wrong
ssca       those, and rows nearer to its boundary than ``distance``
landmarks  none: a machine of so many support vectors is fitted on all rows
=========  ====================================================================
"""

from typing import Annotated, Literal

from pydantic import Field

from app.strict import StrictModel
from app.train.base import Part, Weight
from app.train.trainers.kernels import Gamma

__all__ = ["MOST_LANDMARKS", "Reduction"]

MOST_LANDMARKS = 5_000
"""The eigenvalues of more take minutes and a gigabyte."""


class FirstStage(StrictModel):
    """What only the machines that mark rows have; the rest is the last one's."""

    C: Weight | None = None
    gamma: Gamma | None = None
    degree: Annotated[int, Field(ge=1, le=20)] | None = None
    coef0: Annotated[float, Field(ge=0, le=1000)] | None = None


class _Judged(StrictModel):
    max_accuracy_loss: Annotated[float, Field(ge=0, le=1)] | None = None
    """Keep the unreduced machine when the reduction costs more accuracy than this."""
    validation_fraction: Part = 0.2
    """Share of the training rows on which that loss is judged."""


class AnyReduction(_Judged):
    """What all reductions take that remove rows."""

    removal: Literal["remove", "flip"] = "remove"
    """Whether misclassified rows are dropped or relabelled."""
    first_stage: FirstStage | None = None
    hard_margin: bool | Literal["auto"] = "auto"
    """Whether the last machine allows no margin error."""


class _ByRejection(AnyReduction):
    rejection_cost: Annotated[float, Field(ge=0.001, le=0.999)] = 0.24
    """The price w_r of a rejected row where an error costs 1: nearer to either end
    all rows go, or none."""


class M1rs(_ByRejection):
    """One machine, and a threshold on its posterior."""

    kind: Literal["m1rs"]


class M2rs(_ByRejection):
    """Two machines with opposite class weights."""

    kind: Literal["m2rs"]


class Sca(AnyReduction):
    """Misclassified rows only."""

    kind: Literal["sca"]


class Ssca(AnyReduction):
    """Misclassified rows, and those near the boundary."""

    kind: Literal["ssca"]
    distance: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    """In the scale of the first machine's score, whose margin is 1."""


class Landmarks(_Judged):
    """A machine of so many support vectors in place of the exact one (Nystrom)."""

    kind: Literal["landmarks"]
    landmarks: Annotated[int, Field(ge=1, le=MOST_LANDMARKS)]
    """How many support vectors stay: training rows, drawn at random. Where the exact
    machine has no more, it is kept."""


Reduction = Annotated[M1rs | M2rs | Sca | Ssca | Landmarks, Field(discriminator="kind")]
