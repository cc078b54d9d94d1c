"""What people's doubt is worth, by what their cases turned out to be.

By late truth alone: second opinions are asked where people contradict the machine or
are unsure, so agreement with others says little of how often one is right.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from app.reviews.measured import CalledRight, StatedDoubt
from app.reviews.pooling import stated_probability
from app.reviews.standing import FEW, GivenVerdict, Standing, share_of
from solvers.monitoring import Doubt, calibrated_doubt

__all__ = ["doubts_of", "stated_doubt"]

CELLS = (0.5, 0.6, 0.75, 0.9, 0.975, 1.0)
"""Ends of the cells of stated certainty that people are told by."""

Known = tuple[GivenVerdict, float]


def doubts_of(standing: Standing) -> Mapping[str, Doubt]:
    """Return how each person's statements are to be taken; empty while little is known.

    Each is shrunk to all people together, so that few verdicts of one move little.
    """
    known = _known(standing)
    if len(known) < FEW:
        return {}
    pool = _fitted(known)
    people = {one.person_id for one in standing.verdicts}
    return {
        person: _fitted([pair for pair in known if pair[0].person_id == person], pool)
        for person in people
    }


def _known(standing: Standing) -> list[Known]:
    late = [
        (one, float(one.truth)) for one in standing.verdicts if one.truth is not None
    ]
    return late if len(late) >= FEW else []


def _fitted(known: Iterable[Known], *around: Doubt) -> Doubt:
    pairs = np.array(
        [
            (stated_probability(positive=one.positive, sure=one.sure), truth)
            for one, truth in known
        ],
        dtype=np.float64,
    ).reshape(-1, 2)
    return calibrated_doubt(pairs[:, 0], pairs[:, 1], *around)


def stated_doubt(own: Standing, doubt: Doubt | None) -> StatedDoubt | None:
    """Return what is told of a person's doubt; None of too few verdicts."""
    known = _known(own)
    if doubt is None or len(known) < FEW:
        return None
    cells = []
    for low, high in pairwise(CELLS):
        inside = [
            one for one, _ in known if low <= one.sure < high or one.sure == high == 1.0
        ]
        right = sum(one.positive == one.truth for one in inside)
        if (share := share_of(len(inside), right)) is not None:
            mean = float(np.mean([one.sure for one in inside]))
            cells.append(CalledRight(sure=mean, right=share))
    return StatedDoubt(
        verdicts=len(known),
        offset=doubt.offset,
        slope=doubt.slope,
        offset_interval=doubt.offset_interval,
        slope_interval=doubt.slope_interval,
        cells=cells,
    )
