"""Verdicts: given once, and enough of them close the case.

Verdicts are only ever added. What is wanted on a case follows from those that stand:
one opinion, or the two that were drawn; two where one was less sure than the policy
asks, or says that an accepted row was decided wrongly; three where two differ.
``settle`` brings the case's opinions and its state to that, after whatever happened.
The case's row is locked first, so that two verdicts on a case come one after the other.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.orm import Session

from app.artifacts.model import Label
from app.db.base import utc_now
from app.db.review_tables import Case, Opinion, Verdict
from app.db.states import CaseState, OpinionState
from app.db.tables import new_id
from app.errors import ConflictError, FieldError
from app.errors.faults import unusable
from app.features.values import category
from app.reviews import changes, claims, policies, telling
from app.reviews.opening import opinion
from app.reviews.policy import AUDIT, Policy
from app.reviews.pooling import (
    cheaper_answer,
    pooled,
    share_of_positive,
    stated_probability,
    weighs_share,
)
from app.reviews.schemas import VerdictAnswer, VerdictRequest

__all__ = [
    "Said",
    "close",
    "give",
    "is_positive",
    "keep",
    "queued",
    "reopen",
    "settle",
    "standing_verdicts",
]

SHARE_OF = 1000
"""Latest verdicts on a model that tell what share of them is +1."""


# Made once: to make a statement takes longer than to run it.
_STANDING = (
    select(Verdict)
    .join(Opinion, Opinion.verdict_id == Verdict.id)
    .where(Opinion.case_id == bindparam("of_case"), Opinion.state == OpinionState.GIVEN)
    .order_by(Verdict.at, Verdict.id)
)
_VOID = (
    update(Opinion)
    .where(
        Opinion.case_id == bindparam("of_case"), Opinion.state == OpinionState.WANTED
    )
    .values(state=OpinionState.VOID, person_id=None, expires_at=None)
)


def give(
    session: Session, person_id: str, claim_id: str, asked: VerdictRequest
) -> tuple[VerdictAnswer, bool]:
    """Keep a verdict; return it, and whether it is new.

    Raises
    ------
    UnknownClaimError, ClaimLostError
        When the claim is not theirs; nothing is kept then.
    InvalidRequestError
        When the label is none of the case's.
    ConflictError
        When another verdict was given to the same claim.
    """
    wanted, case = claims.locked_claim(session, claim_id)
    positive = is_positive(case, asked.label)
    policy = policies.of(session, case.model_id)
    if (before := _given(session, person_id, wanted, asked)) is not None:
        same = (positive, asked.sure, asked.note)
        if same != (before.positive, before.sure, before.note):
            msg = (
                "another verdict was given to this claim; take it back first: POST"
                f" /verdicts/{before.id}/undo"
            )
            raise ConflictError(msg)
        return telling.verdict(session, before, policy), False
    claims.require_held(wanted, person_id, asked.token)
    seconds = None
    if wanted.leased_at is not None:
        seconds = (utc_now() - wanted.leased_at).total_seconds()
    opinion = Said(positive, asked.sure, asked.note, seconds)
    verdict = keep(session, case, wanted, person_id, opinion)
    return telling.verdict(session, verdict, policy), True


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says of a case."""

    positive: bool
    sure: float
    note: str | None
    seconds: float | None


def keep(
    session: Session, case: Case, held: Opinion, person_id: str, opinion: Said
) -> Verdict:
    """Keep a verdict as the opinion that was wanted, and settle the locked case."""
    verdict = Verdict(
        id=new_id(),
        opinion_id=held.id,
        case_id=case.id,
        model_id=case.model_id,
        person_id=person_id,
        positive=opinion.positive,
        sure=opinion.sure,
        note=opinion.note,
        seconds=opinion.seconds,
        at=utc_now(),
    )
    session.add(verdict)
    held.state, held.verdict_id = OpinionState.GIVEN, verdict.id
    held.person_id, held.expires_at = person_id, None
    session.flush()
    settle(session, case, policies.of(session, case.model_id))
    return verdict


def _given(
    session: Session, person_id: str, wanted: Opinion, asked: VerdictRequest
) -> Verdict | None:
    """Return the verdict that this very claim has brought."""
    mine = (wanted.person_id, wanted.token) == (person_id, asked.token)
    if not mine or wanted.verdict_id is None:
        return None
    return session.get_one(Verdict, wanted.verdict_id)


def is_positive(case: Case, label: Label, pointer: str = "/label") -> bool:
    """Tell whether a label is that of +1.

    Raises
    ------
    InvalidRequestError
        When it is neither of the case's two.
    """
    for name in ("positive", "negative"):
        if category(case.labels[name]) == category(label):
            return name == "positive"
    both = f"{case.labels['positive']!r} or {case.labels['negative']!r}"
    raise unusable([FieldError(pointer, f"the label is {both}")])


def standing_verdicts(session: Session, case_id: str) -> list[Verdict]:
    """Return the verdicts on a case that stand, oldest first."""
    return list(session.scalars(_STANDING, {"of_case": case_id}))


def settle(session: Session, case: Case, policy: Policy) -> None:
    """Close a locked case, or have as many opinions wanted as its verdicts ask for."""
    verdicts = standing_verdicts(session, case.id)
    differ = len({verdict.positive for verdict in verdicts}) > 1
    wanted, second = case.wanted, policy.second_opinion
    if second is not None:
        unsure = any(verdict.sure < second.when_less_sure_than for verdict in verdicts)
        if unsure or (second.when_it_contradicts and _contradicted(case, verdicts)):
            wanted = max(wanted, 2)
        if differ and second.third_on_disagreement:
            wanted = max(wanted, 3)
    if len(verdicts) >= wanted:
        stated = [
            stated_probability(positive=v.positive, sure=v.sure) for v in verdicts
        ]
        weighs = weighs_share(case.probability, stated)
        share = _share(session, case) if weighs else 0.5
        p = pooled(case.probability, stated, share)
        close(
            session,
            case,
            CaseState.DECIDED,
            positive=cheaper_answer(p, case.costs),
            p=p,
        )
        return
    if differ:
        case.state = CaseState.DISPUTED
    elif case.state == CaseState.DISPUTED:
        case.state = CaseState.WAITING
    _want(session, case, wanted - len(verdicts))


def _contradicted(case: Case, verdicts: list[Verdict]) -> bool:
    """Tell whether somebody called an audited row otherwise than the machine."""
    called = case.decision == "+1"
    return case.reason == AUDIT and any(v.positive != called for v in verdicts)


def _want(session: Session, case: Case, number: int) -> None:
    """Have this many opinions wanted; free ones too many are void."""
    wanted = session.scalars(
        select(Opinion)
        .where(Opinion.case_id == case.id, Opinion.state == OpinionState.WANTED)
        .order_by(Opinion.expires_at.is_(None), Opinion.expires_at.desc(), Opinion.id)
    ).all()
    for surplus in wanted[number:]:
        if surplus.expires_at is None or surplus.expires_at < utc_now():
            surplus.state, surplus.person_id = OpinionState.VOID, None
    missing = [opinion(queued(case)) for _ in range(number - len(wanted))]
    if missing:
        session.execute(insert(Opinion), missing)
    session.flush()


def queued(case: Case) -> dict[str, Any]:
    """Return what an opinion takes over from its case."""
    names = ("id", "model_id", "saving", "opened_at", "due_at")
    return {name: getattr(case, name) for name in names}


def _share(session: Session, case: Case) -> float:
    """Return the share of +1 among the latest verdicts on other cases of the model.

    Few verdicts tell little of it: see ``pooling``.
    """
    latest = (
        select(Verdict.positive)
        .where(Verdict.model_id == case.model_id, Verdict.case_id != case.id)
        .order_by(Verdict.at.desc())
        .limit(SHARE_OF)
        .subquery()
    )
    counted: dict[bool, int] = dict(
        session.execute(
            select(latest.c.positive, func.count()).group_by(latest.c.positive)
        ).all()
    )
    return share_of_positive(counted.get(True, 0), sum(counted.values()))


def close(
    session: Session,
    case: Case,
    state: CaseState,
    *,
    positive: bool | None = None,
    p: float | None = None,
    person_id: str | None = None,
    note: str | None = None,
) -> None:
    """Close a locked case, and let the caller hear of it."""
    case.state, case.closed_at, case.open_reference = state, utc_now(), None
    case.answer, case.answer_probability = positive, p
    session.execute(_VOID, {"of_case": case.id})
    changes.add(session, case, state, person_id=person_id, note=note)


def reopen(
    session: Session,
    case: Case,
    state: CaseState,
    *,
    person_id: str | None = None,
    note: str | None = None,
) -> None:
    """Open a locked case again, and let the caller hear of it.

    Raises
    ------
    ConflictError
        When another case of the same reference is open by now.
    """
    if case.reference is not None:
        same = select(Case.id).where(
            Case.model_id == case.model_id, Case.open_reference == case.reference
        )
        if (other := session.scalar(same)) is not None:
            msg = f"the reference has another open case by now: GET /cases/{other}"
            raise ConflictError(msg)
    case.state, case.closed_at, case.open_reference = state, None, case.reference
    case.answer = case.answer_probability = None
    changes.add(session, case, "reopened", person_id=person_id, note=note)
