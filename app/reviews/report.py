"""What the people behind a model did, and how well.

Of fewer than twenty verdicts the report says nothing.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.review_tables import NEVER, Case, Opinion
from app.db.states import OPEN, OpinionState
from app.models.service import known_model
from app.reviews import policies
from app.reviews.doubts import doubts_of, stated_doubt
from app.reviews.measured import (
    Minutes,
    Overturned,
    PeopleAnswer,
    Queue,
    ReportAnswer,
    Reviewer,
)
from app.reviews.standing import FEW, GivenVerdict, Standing, share_of, standing_of
from solvers.monitoring import Doubt, Skill, estimated_skill, known_skill
from solvers.monitoring.reviewers import posterior

__all__ = ["had_seen", "minutes_of", "people_answer", "report"]


def report(session: Session, name: str) -> ReportAnswer:
    """Return how the people behind a model do.

    Raises
    ------
    UnknownModelError
        When there is no such model.
    """
    model_id = known_model(session, name)[0].id
    standing = standing_of(session, model_id)
    rejects = standing.of_rejects
    people = sorted({one.person_id for one in standing.verdicts})
    doubts = doubts_of(standing)
    policy = policies.find(session, model_id)
    skill = estimated_skill(*rejects.table())
    return ReportAnswer(
        model=name,
        queue=_queue(session, model_id),
        verdicts=len(standing.verdicts),
        minutes=minutes_of(rejects, skill),
        agreement=share_of(*standing.agreement()),
        estimated=None if had_seen(policy) else _people(skill),
        by_outcomes=_people(known_skill(*rejects.known())),
        overturned=_overturned(session, model_id),
        reviewers=[_reviewer(standing, one, doubts.get(one)) for one in people],
    )


def had_seen(policy: policies.KnownPolicy | None) -> bool:
    """Tell whether people saw the machine's score before their verdict."""
    return policy is not None and policy.policy.show_score == "always"


def _queue(session: Session, model_id: int) -> Queue:
    counted: dict[str, int] = dict(
        session.execute(
            select(Case.state, func.count())
            .where(Case.model_id == model_id)
            .group_by(Case.state)
        ).all()
    )
    wanted = select(func.count(), func.min(Opinion.opened_at)).where(
        Opinion.model_id == model_id, Opinion.state == OpinionState.WANTED
    )
    waiting, oldest = session.execute(wanted).one()
    overdue = session.scalar(
        select(func.count()).where(
            Case.model_id == model_id,
            Case.state.in_(OPEN),
            Case.due_at < utc_now(),
            Case.due_at < NEVER,
        )
    )
    return Queue(
        cases=counted, opinions_wanted=waiting, oldest=oldest, overdue=overdue or 0
    )


def _people(skill: Skill | None) -> PeopleAnswer | None:
    if skill is None or min(skill.positives, skill.negatives) < FEW:
        return None
    return people_answer(skill)


def people_answer(skill: Skill) -> PeopleAnswer:
    """Return how often people are right, as it is answered."""
    return PeopleAnswer(**asdict(skill))


def minutes_of(rejects: Standing, skill: Skill | None) -> Minutes | None:
    """Return what a verdict takes, on cases that are likely +1 and likely -1.

    ``skill`` is that of ``estimated_skill``, which draws cases many times over.
    """
    timed = [
        one
        for one in rejects.verdicts
        if one.seconds is not None and one.probability is not None
    ]
    if len(timed) < FEW or skill is None:
        return None
    g = _likely(rejects, timed, skill)
    minutes = np.array([one.seconds for one in timed]) / 60.0
    return Minutes(
        mean=float(minutes.mean()),
        median=float(np.median(minutes)),
        positive=float(np.average(minutes, weights=g)),
        negative=float(np.average(minutes, weights=1.0 - g)),
    )


def _likely(rejects: Standing, timed: Sequence[GivenVerdict], skill: Skill) -> Any:
    """Return for each verdict the probability that its case is +1."""
    cases = rejects.by_case
    verdicts, prior = rejects.table()
    ids = [k for k, of_case in cases.items() if of_case[0].probability is not None]
    probabilities = posterior(verdicts, prior, skill)
    of_case = dict(zip(ids, probabilities.tolist(), strict=True))
    return np.array([of_case[one.case_id] for one in timed])


def _overturned(session: Session, model_id: int) -> dict[str, Overturned]:
    """Return how often people answered otherwise than the machine would have."""
    query = (
        select(Case.reason, Case.would_be, Case.answer, func.count())
        .where(
            Case.model_id == model_id,
            Case.answer.is_not(None),
            Case.would_be.is_not(None),
        )
        .group_by(Case.reason, Case.would_be, Case.answer)
    )
    rows: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for reason, machine, people, count in session.execute(query):
        rows[reason] += count
        other[reason] += count * (machine != people)
    return {
        reason: Overturned(cases=n, overturned=other[reason])
        for reason, n in sorted(rows.items())
        if n >= FEW
    }


def _reviewer(standing: Standing, person: str, doubt: Doubt | None) -> Reviewer:
    own = Standing([one for one in standing.verdicts if one.person_id == person])
    n = len(own.verdicts)
    seconds = [one.seconds for one in own.verdicts if one.seconds is not None]
    few = n < FEW
    return Reviewer(
        person=person,
        verdicts=n,
        minutes=float(np.median(seconds)) / 60 if len(seconds) >= FEW else None,
        agreement=None if few else share_of(*standing.agreement(person)),
        by_outcomes=None if few else _people(known_skill(*own.of_rejects.known())),
        doubt=stated_doubt(own, doubt),
    )
