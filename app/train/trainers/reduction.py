"""Reductions of a kernel machine: rows that would not help it leave before it trains.

=========  ====================================================================
m1rs       one machine rejects rows by a posterior; threshold by ``w_r R + E``
m2rs       two machines with opposite class weights reject where they disagree
sca        rows that the first machine gets wrong
ssca       those, and rows nearer to its boundary than ``distance``
landmarks  none: a machine of so many support vectors is fitted on all rows
=========  ====================================================================
"""

from typing import TYPE_CHECKING

from pydantic import create_model

from app.strict import MadeModel, StrictModel
from app.train.trainers.declared import members, of_kind, one_of
from solvers.kernel_declarations import FIRST_STAGE, REDUCTIONS

__all__ = ["FirstStage", "Reduction"]

if TYPE_CHECKING:
    FirstStage = StrictModel
else:
    FirstStage = create_model(
        "FirstStage",
        __base__=MadeModel,
        __doc__="What only the machines that mark rows have; the rest is the last's.",
        **members(FIRST_STAGE),
    )


class _Marking(StrictModel):
    """A reduction that removes rows."""

    first_stage: FirstStage | None = None


if TYPE_CHECKING:
    Reduction = StrictModel
else:
    Reduction = one_of(
        of_kind(
            kind,
            kind.capitalize(),
            *declared,
            *(() if kind == "landmarks" else (_Marking,)),
        )
        for kind, declared in REDUCTIONS.items()
    )
