"""A model's review policy is set, told and switched off.

The row of a policy is locked by that of its model, so that of two leads who write at
once one comes second; with ``revision`` the second is refused instead.
"""

import secrets
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.review_tables import Case, ReviewPolicy
from app.db.states import OPEN
from app.db.tables import Model
from app.errors import (
    ConflictError,
    FieldError,
    InvalidRequestError,
    UnknownModelError,
    UnknownPolicyError,
)
from app.features.values import trimmed
from app.models.service import NAME, known_model
from app.reviews.policy import Policy
from app.reviews.schemas import PolicyAnswer, PolicyRequest

__all__ = [
    "KnownPolicy",
    "delete",
    "drop",
    "find",
    "known_policy",
    "model_id_of",
    "of",
    "put",
    "require_none_open",
    "tell",
]


_OF_NAME = (
    select(ReviewPolicy)
    .join(Model, Model.id == ReviewPolicy.model_id)
    .where(Model.name == bindparam("of_name"))
)


@dataclass(frozen=True, slots=True)
class KnownPolicy:
    """A policy with the row that it came from."""

    row: ReviewPolicy
    policy: Policy


def model_id_of(session: Session, name: str) -> int:
    """Return the id of a model; also of one whose versions are all gone.

    Raises
    ------
    UnknownModelError
        When there never was such a model.
    """
    query = select(Model.id).where(Model.name == name)
    model_id = session.scalar(query) if NAME.fullmatch(name) else None
    if model_id is None:
        msg = "no model has this name; see GET /models"
        raise UnknownModelError(msg)
    return model_id


def find(session: Session, model_id: int) -> KnownPolicy | None:
    """Return the policy of a model, also one that was deleted; None without any."""
    row = session.get(ReviewPolicy, model_id)
    return None if row is None else _held(session, row)


def of(session: Session, model_id: int) -> Policy:
    """Return the policy by which a model's cases go on, also a deleted one."""
    policy = find(session, model_id)
    if policy is None:
        msg = f"model {model_id} has no review policy"
        raise LookupError(msg)
    return policy.policy


def _held(session: Session, row: ReviewPolicy) -> KnownPolicy:
    # A session forgets what nobody holds, and would ask again at each step.
    session.info[ReviewPolicy, row.model_id] = row
    return KnownPolicy(row, _read(row.policy))


@lru_cache(maxsize=256)
def _read(policy: str) -> Policy:
    return Policy.model_validate_json(policy)


def known_policy(session: Session, name: str) -> KnownPolicy:
    """Return the policy of a model.

    Raises
    ------
    UnknownModelError
        When there is no such model.
    UnknownPolicyError
        When it has no policy.
    """
    row = session.scalar(_OF_NAME, {"of_name": name}) if NAME.fullmatch(name) else None
    if row is None or row.deleted_at is not None:
        model_id_of(session, name)
        msg = f"the model has no review policy; see PUT /models/{name}/review"
        raise UnknownPolicyError(msg)
    return _held(session, row)


def tell(name: str, policy: KnownPolicy) -> PolicyAnswer:
    """Return a policy as it is told."""
    return PolicyAnswer(
        **policy.policy.model_dump(by_alias=True),
        model=name,
        revision=policy.row.revision,
        updated_at=policy.row.updated_at,
    )


def put(session: Session, name: str, asked: PolicyRequest) -> PolicyAnswer:
    """Set the policy of a model; what is left out has its default.

    Raises
    ------
    UnknownModelError
        When the model has no version.
    InvalidRequestError
        When a column to hide is none of the model's.
    ConflictError
        When somebody else has changed the policy since ``revision``.
    """
    model, newest = known_model(session, name)
    session.execute(select(Model.id).where(Model.id == model.id).with_for_update())
    _check_columns(asked, newest.summary.get("features"))
    row = session.get(ReviewPolicy, model.id, populate_existing=True)
    present = 0 if row is None or row.deleted_at is not None else row.revision
    if asked.revision is not None and asked.revision != present:
        msg = (
            f"the policy is at revision {present}, not {asked.revision}: somebody else"
            f" has changed it; see GET /models/{name}/review"
        )
        raise ConflictError(msg)
    policy = Policy.model_validate_json(
        asked.model_dump_json(by_alias=True, exclude={"revision"})
    )
    if row is None:
        row = ReviewPolicy(
            model_id=model.id, secret=secrets.token_hex(32), revision=0, policy=""
        )
        session.add(row)
    row.policy = policy.model_dump_json(by_alias=True)
    row.revision += 1
    row.updated_at, row.deleted_at = utc_now(), None
    session.flush()
    return tell(name, KnownPolicy(row, policy))


def _check_columns(asked: Policy, features: list[dict[str, object]] | None) -> None:
    """Refuse to hide what is not there: a slip would show what was to be hidden."""
    if features is None:
        return
    names = {feature["name"] for feature in features}
    faults = [
        FieldError(f"/columns/hide/{i}", "the model has no such column")
        for i, name in enumerate(asked.columns.hide)
        if trimmed(name) not in names
    ]
    if faults:
        msg = "columns to hide are not the model's; see GET /models/{name}, features"
        raise InvalidRequestError(msg, faults)


def delete(session: Session, name: str) -> None:
    """Switch the reviews of a model off for good.

    Raises
    ------
    UnknownModelError, UnknownPolicyError
        When there is nothing to delete.
    ConflictError
        While cases are open.
    """
    policy = known_policy(session, name)
    require_none_open(session, policy.row.model_id, f"/models/{name}/review")
    drop(session, policy.row.model_id)


def drop(session: Session, model_id: int) -> None:
    """Have no more cases opened; nothing happens where there is no policy."""
    row = session.get(ReviewPolicy, model_id)
    if row is not None and row.deleted_at is None:
        row.deleted_at = utc_now()
        session.flush()


def require_none_open(session: Session, model_id: int, path: str) -> None:
    """Refuse what would leave open cases without anybody to answer them.

    Raises
    ------
    ConflictError
        Telling how many there are, and the ways out.
    """
    query = select(Case.id).where(Case.model_id == model_id, Case.state.in_(OPEN))
    if session.scalar(query.limit(1)) is not None:
        msg = (
            "cases of this model are open: PUT its review policy with enabled false and"
            " let people finish, withdraw them one by one (POST /cases/{id}/withdraw),"
            f" or all at once by DELETE {path}?open_cases=withdraw"
        )
        raise ConflictError(msg)
