"""What a reviewer is shown: the columns of the claimed case, and their own verdicts.

The machine's score comes after the verdict, unless the policy says otherwise. Until
then an audit looks like any case between the thresholds: to know that the machine was
sure would sway the verdict.
"""

from datetime import timedelta

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.db.review_tables import Case, Opinion, Verdict
from app.db.tables import Model
from app.features.values import category, trimmed
from app.models.queries import find_version
from app.reviews import policies
from app.reviews.policy import AUDIT, Policy
from app.reviews.schemas import (
    ClaimAnswer,
    ClaimedCase,
    Machine,
    ShownLabels,
    VerdictAnswer,
    VerdictsAnswer,
)

__all__ = [
    "claim",
    "claimed_case",
    "label_of",
    "machine",
    "own_verdicts",
    "unusual_columns",
    "verdict",
]


_CASE = (
    select(Case, Model.name)
    .join(Model, Model.id == Case.model_id)
    .where(Case.id == bindparam("of_case"))
)


def label_of(case: Case, positive: bool | None) -> str | int | float | bool | None:
    """Return what the user calls +1 or -1; None of None."""
    if positive is None:
        return None
    label: str | int | float | bool
    label = case.labels["positive" if positive else "negative"]
    return label


def machine(case: Case) -> Machine:
    """Return what the machine had to say of a case."""
    return Machine(
        decision=case.decision,
        reason=case.reason,
        score=case.score,
        probability=case.probability,
        would_be=label_of(case, case.would_be),
        version=case.version,
    )


def claimed_case(case: Case, model: str, policy: Policy) -> ClaimedCase:
    """Return a case as a reviewer sees it before the verdict."""
    always = policy.show_score == "always"
    features = case.features
    if features is not None:
        hidden = set(map(trimmed, policy.columns.hide))
        features = {k: value for k, value in features.items() if k not in hidden}
    return ClaimedCase(
        id=case.id,
        model=model,
        reason=case.reason if always or case.reason != AUDIT else "ambiguous",
        due_at=case.due_at,
        features=features,
        reference=case.reference if features is None else None,
        labels=ShownLabels(**case.labels),
        machine=machine(case) if always else None,
    )


def unusual_columns(session: Session, case_id: str) -> frozenset[str]:
    """Return the columns of which training saw no such value, where that is why.

    A category that is none of the known, or no value where there always was one.
    """
    case = session.get_one(Case, case_id)
    by_guard = case.reason in ("unseen_category", "missing_value")
    if not by_guard or case.features is None or case.version is None:
        return frozenset()
    model = session.get_one(Model, case.model_id)
    row = find_version(session, model.name, case.version)
    columns = set()
    for feature in [] if row is None else row.summary.get("features", []):
        value = case.features.get(feature["name"])
        if case.reason == "missing_value":
            odd = value is None and not feature["missing_indicator"]
        elif value is None or feature["type"] != "categorical":
            odd = False
        else:
            odd = category(value) not in feature["categories"]
        if odd:
            columns.add(feature["name"])
    return frozenset(columns)


def claim(session: Session, opinion: Opinion) -> ClaimAnswer:
    """Return a claim as its holder sees it."""
    case, model = session.execute(_CASE, {"of_case": opinion.case_id}).one()
    return ClaimAnswer.model_validate(
        {
            "id": opinion.id,
            "token": opinion.token,
            "expires_at": opinion.expires_at,
            "case": claimed_case(case, model, policies.of(session, case.model_id)),
        }
    )


def verdict(session: Session, given_verdict: Verdict, policy: Policy) -> VerdictAnswer:
    """Return a verdict as its giver sees it."""
    case = session.get_one(Case, given_verdict.case_id)
    opinion = session.get_one(Opinion, given_verdict.opinion_id)
    return VerdictAnswer(
        id=given_verdict.id,
        case=case.id,
        label=label_of(case, given_verdict.positive),
        sure=given_verdict.sure,
        note=given_verdict.note,
        at=given_verdict.at,
        stands=opinion.verdict_id == given_verdict.id,
        undo_until=given_verdict.at + timedelta(seconds=policy.undo_seconds),
        machine=None if policy.show_score == "never" else machine(case),
    )


def own_verdicts(session: Session, person_id: str, limit: int) -> VerdictsAnswer:
    """Return a person's latest verdicts."""
    rows = session.scalars(
        select(Verdict)
        .where(Verdict.person_id == person_id)
        .order_by(Verdict.at.desc(), Verdict.id)
        .limit(limit)
    ).all()
    return VerdictsAnswer(
        verdicts=[
            verdict(session, row, policies.of(session, row.model_id)) for row in rows
        ]
    )
