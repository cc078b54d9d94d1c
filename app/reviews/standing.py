"""The verdicts that stand on a model's cases: what people are measured by."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.review_tables import Case, Opinion, Verdict
from app.db.states import OpinionState
from app.reviews.measured import Share
from solvers.metrics.mean_limits import binomial_interval

__all__ = ["FEW", "GivenVerdict", "Standing", "share_of", "standing_of"]

FEW = 20
"""Verdicts below which nothing is told: of so few, one could tell whose they are."""


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    """A verdict with its case."""

    case_id: str
    person_id: str
    positive: bool
    sure: float
    seconds: float | None
    probability: float | None
    truth: bool | None
    rejected: bool
    """Whether the machine had rejected the case."""
    at: datetime


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Verdicts by case.

    Parameters
    ----------
    verdicts : list of GivenVerdict
        Oldest first.
    """

    verdicts: list[GivenVerdict]

    @property
    def of_rejects(self) -> "Standing":
        """Return those on cases that the machine rejected: whom a reject asks."""
        return Standing([one for one in self.verdicts if one.rejected])

    @property
    def by_case(self) -> dict[str, list[GivenVerdict]]:
        """Return the verdicts on each case."""
        verdicts: dict[str, list[GivenVerdict]] = defaultdict(list)
        for one in self.verdicts:
            verdicts[one.case_id].append(one)
        return verdicts

    def table(self) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
        """Return verdicts (n_cases, most) and the machine's probabilities (n_cases,).

        Cases without a probability are left out.
        """
        cases = [
            of_case
            for of_case in self.by_case.values()
            if of_case[0].probability is not None
        ]
        most = max((len(of_case) for of_case in cases), default=1)
        verdicts = np.zeros((len(cases), most), dtype=np.int8)
        for row, of_case in zip(verdicts, cases, strict=True):
            row[: len(of_case)] = [1 if one.positive else -1 for one in of_case]
        prior = np.array(
            [of_case[0].probability for of_case in cases], dtype=np.float64
        )
        return verdicts, prior

    def known(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return verdict and truth of each verdict whose truth is known."""
        known = [(one.positive, one.truth) for one in self.verdicts]
        pairs = np.array([pair for pair in known if pair[1] is not None], dtype=bool)
        pairs = pairs.reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def agreement(self, person_id: str | None = None) -> tuple[int, int]:
        """Return pairs of verdicts on one case, and how many of them agree.

        ``person_id`` counts only pairs with a verdict of this person's.
        """
        pairs = agree = 0
        for of_case in self.by_case.values():
            for i, one in enumerate(of_case):
                for other in of_case[i + 1 :]:
                    if person_id in (None, one.person_id, other.person_id):
                        pairs += 1
                        agree += one.positive == other.positive
        return pairs, agree


def standing_of(session: Session, model_id: int) -> Standing:
    """Return the verdicts on a model's cases that stand."""
    query = (
        select(
            Verdict.case_id,
            Verdict.person_id,
            Verdict.positive,
            Verdict.sure,
            Verdict.seconds,
            Case.probability,
            Case.truth,
            Case.decision,
            Verdict.at,
        )
        .join(Opinion, Opinion.verdict_id == Verdict.id)
        .join(Case, Case.id == Verdict.case_id)
        .where(Verdict.model_id == model_id, Opinion.state == OpinionState.GIVEN)
        .order_by(Verdict.at, Verdict.id)
    )
    return Standing(
        [
            GivenVerdict(*row[:7], row.decision == "reject", row.at)
            for row in session.execute(query)
        ]
    )


def share_of(n: int, k: int) -> Share | None:
    """Return the share k of n with its interval; None of fewer than twenty."""
    if n < FEW:
        return None
    return Share(rows=n, share=k / n, interval=binomial_interval(k, n, 0.025))
