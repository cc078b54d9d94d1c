"""What a reject costs, by what people need and get right.

    reject_positive = minutes+ price + delay+ + (1 - s+) false_negative
    reject_negative = minutes- price + delay- + (1 - s-) false_positive

s+ and s- are the shares of true +1 and -1 among rejected cases that people call right;
minutes+ and minutes- are the time that a verdict on either takes.
"""

from sqlalchemy.orm import Session

from app.artifacts.row_prices import four_numbers
from app.db.tables import ModelVersion
from app.errors import ConflictError
from app.models.service import known_model, known_version
from app.reviews import policies
from app.reviews.measured import (
    PriceRequest,
    PricesAnswer,
)
from app.reviews.report import had_seen, minutes_of, people_answer
from app.reviews.standing import FEW, Standing, standing_of
from solvers.monitoring import Skill, estimated_skill, known_skill

__all__ = ["proposed"]

_DOES_NOT_PAY = (
    "people are no better than the machine here: at these prices no case is worth"
    " asking about"
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
    estimated = estimated_skill(*rejects.table())
    skill = _measured(rejects, asked, estimated, seen=had_seen(policy))
    minutes = minutes_of(rejects, estimated)
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
        people=people_answer(skill),
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
    """Return both reject prices, and their intervals."""
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
