"""What people did and how well, and what that makes a reject cost.

    reject_positive = minutes+ price + delay+ + (1 - s+) false_negative
    reject_negative = minutes- price + delay- + (1 - s-) false_positive

s+ and s- are the shares of true +1 and -1 among rejected cases that people call right,
minutes+- what a verdict on either takes. Nothing is told of fewer than twenty verdicts.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.artifacts.row_prices import four_numbers
from app.db.base import utc_now
from app.db.review_tables import NEVER, Case, Opinion
from app.db.states import OPEN, OpinionState
from app.db.tables import ModelVersion
from app.errors import ConflictError
from app.models.service import known_model, known_version
from app.reviews import policies
from app.reviews.doubts import doubts_of, stated_doubt
from app.reviews.measured import (
    Minutes,
    Overturned,
    PeopleAnswer,
    PriceRequest,
    PricesAnswer,
    Queue,
    ReportAnswer,
    Reviewer,
)
from app.reviews.standing import FEW, GivenVerdict, Standing, share_of, standing_of
from solvers.monitoring import Doubt, Skill, estimated_skill, known_skill
from solvers.monitoring.reviewers import posterior

__all__ = ["proposed", "report"]

_DOES_NOT_PAY = (
    "people are no better than the machine here: at these prices no case is worth"
    " asking about"
)


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
    skill = _estimated(rejects)
    return ReportAnswer(
        model=name,
        queue=_queue(session, model_id),
        verdicts=len(standing.verdicts),
        minutes=_minutes(rejects, skill),
        agreement=share_of(*standing.agreement()),
        estimated=None if _had_seen(policy) else _people(skill),
        by_outcomes=_people(known_skill(*rejects.known())),
        overturned=_overturned(session, model_id),
        reviewers=[_reviewer(standing, one, doubts.get(one)) for one in people],
    )


def proposed(session: Session, name: str, asked: PriceRequest) -> PricesAnswer:
    """Return the reject prices that follow from what people need and get right.

    Raises
    ------
    UnknownModelError
        When there is no such version.
    ConflictError
        When too few verdicts stand, the version has no costs, or no price of a minute
        is known.
    """
    model_id = policies.model_id_of(session, name)
    _, version = known_model(session, name)
    if asked.version is not None:
        version = known_version(session, name, asked.version)
    costs = _four_costs(version)
    policy = policies.find(session, model_id)
    minute_price = _minute_price(asked, policy)
    rejects = standing_of(session, model_id).of_rejects
    estimated = _estimated(rejects)
    skill = _measured(rejects, asked, estimated, seen=_had_seen(policy))
    minutes = _minutes(rejects, estimated)
    if minutes is None:
        raise _too_few(len(rejects.verdicts))
    time = {
        "reject_positive": minute_price * minutes.positive + asked.delay_positive,
        "reject_negative": minute_price * minutes.negative + asked.delay_negative,
    }
    prices, intervals = _reject_prices(time, skill, costs)
    fp, fn = costs["false_positive"], costs["false_negative"]
    spent = fp * prices["reject_positive"] + fn * prices["reject_negative"]
    pays = spent < fp * fn
    return PricesAnswer(
        model=name,
        version=version.version,
        present=costs,
        costs={**costs, **prices},
        intervals=intervals,
        minute_price=minute_price,
        minutes=minutes,
        people=_people_answer(skill),
        pays=pays,
        note=None if pays else _DOES_NOT_PAY,
        preview=None,
    )


def _four_costs(version: ModelVersion) -> dict[str, float]:
    costs = four_numbers(version.summary.get("costs"))
    if costs is None:
        msg = (
            "this version has no costs, the same for all cases, that those of people"
            " could stand beside"
        )
        raise ConflictError(msg)
    return costs


def _minute_price(asked: PriceRequest, policy: policies.KnownPolicy | None) -> float:
    price = asked.minute_price
    if price is None and policy is not None:
        price = policy.policy.minute_price
    if price is None:
        msg = (
            "say what a minute of a reviewer costs: minute_price, here or in the policy"
        )
        raise ConflictError(msg)
    return price


def _reject_prices(
    time: dict[str, float], skill: Skill, costs: dict[str, float]
) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Return both reject prices, and their intervals.

    A reject costs the reviewer's time, and the error that a person makes instead.
    """
    right = {
        "reject_positive": (skill.sensitivity, skill.sensitivity_interval),
        "reject_negative": (skill.specificity, skill.specificity_interval),
    }
    error = {
        "reject_positive": costs["false_negative"],
        "reject_negative": costs["false_positive"],
    }
    prices = {k: time[k] + (1 - share) * error[k] for k, (share, _) in right.items()}
    intervals = {
        k: (time[k] + (1 - high) * error[k], time[k] + (1 - low) * error[k])
        for k, (_, (low, high)) in right.items()
    }
    return prices, intervals


def _had_seen(policy: policies.KnownPolicy | None) -> bool:
    return policy is not None and policy.policy.show_score == "always"


def _measured(
    rejects: Standing, asked: PriceRequest, estimated: Skill | None, *, seen: bool
) -> Skill:
    if asked.by == "outcomes":
        skill = known_skill(*rejects.known())
    elif seen:
        msg = (
            "people saw the machine's score before their verdict (show_score always)"
            " and cannot be measured by it: bring outcomes and ask by outcomes"
        )
        raise ConflictError(msg)
    else:
        skill = estimated
    if skill is None or min(skill.positives, skill.negatives) < FEW:
        raise _too_few(len(rejects.verdicts))
    return skill


def _too_few(n: int) -> ConflictError:
    msg = (
        f"{n} verdicts stand on rejected cases, and {FEW} on cases of either class are"
        " needed to measure people"
    )
    return ConflictError(msg)


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


def _estimated(rejects: Standing) -> Skill | None:
    return estimated_skill(*rejects.table())


def _people(skill: Skill | None) -> PeopleAnswer | None:
    if skill is None or min(skill.positives, skill.negatives) < FEW:
        return None
    return _people_answer(skill)


def _people_answer(skill: Skill) -> PeopleAnswer:
    return PeopleAnswer(**asdict(skill))


def _minutes(rejects: Standing, skill: Skill | None) -> Minutes | None:
    """Return what a verdict takes, on cases that are likely +1 and likely -1.

    ``skill`` is that of ``_estimated``, which draws cases many times over.
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
