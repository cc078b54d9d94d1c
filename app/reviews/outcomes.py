"""What cases turned out to be, by reference; for rows that are no case as well."""

from collections.abc import Iterable, Sequence

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from app.artifacts.model import Label
from app.db.base import utc_now
from app.db.review_tables import Case, Outcome
from app.db.tables import Model, ModelVersion
from app.errors import ConflictError, FieldError, InvalidRequestError
from app.errors.faults import MOST_FAULTS, unusable
from app.features.values import category
from app.reviews import policies
from app.reviews.caller_schemas import OutcomesAnswer
from app.reviews.intake import check_references
from app.reviews.tables import read_rows

__all__ = ["ReferenceLabel", "keep", "labels_of", "read_csv", "side_of"]

AT_ONCE = 500
ReferenceLabel = tuple[str, Label]
"""A reference and a label."""


def labels_of(session: Session, model_id: int) -> dict[str, Label]:
    """Return what the user calls +1 and -1 of a model: as its newest version does.

    Raises
    ------
    ConflictError
        When the model has neither a version nor a case.
    """
    versions = select(ModelVersion.summary).where(ModelVersion.model_id == model_id)
    summary = session.scalar(versions.order_by(ModelVersion.version.desc()).limit(1))
    labels = (summary or {}).get("labels")
    if labels is None:
        cases = select(Case.labels).where(Case.model_id == model_id)
        labels = session.scalar(cases.order_by(Case.opened_at.desc()).limit(1))
    if labels is None:
        msg = "the model has no version any more, so nothing says what its labels are"
        raise ConflictError(msg)
    return dict(labels)


def side_of(labels: dict[str, Label], label: Label) -> bool | None:
    """Tell whether a label, maybe as text, is that of +1; None where it is neither."""
    for name, own in labels.items():
        alike = isinstance(own, bool) == isinstance(label, bool)
        if (alike or isinstance(label, str)) and category(own) == category(label):
            return name == "positive"
    return None


def read_csv(body: bytes, charset: str | None = None) -> list[ReferenceLabel]:
    """Return the rows of a CSV file with the columns ``reference`` and ``label``.

    Raises
    ------
    InvalidRequestError
        When it is no CSV, has no rows, or a column is missing.
    UnsupportedMediaTypeError
        When text in that charset is not taken.
    """
    names, rows = read_rows(body, charset)
    missing = [name for name in ("reference", "label") if name not in names]
    if missing:
        detail = "the column is missing; the first line has the names of the columns"
        raise unusable(FieldError("/header", detail, column=n) for n in missing)
    if not rows:
        msg = "the file has no rows"
        raise InvalidRequestError(msg)
    return [(row["reference"], row["label"]) for row in rows]


def keep(
    session: Session,
    model: str,
    sent: Sequence[ReferenceLabel],
    *,
    replace: bool = False,
) -> OutcomesAnswer:
    """Keep outcomes; the same again changes nothing.

    Raises
    ------
    UnknownModelError
        When there is no such model.
    InvalidRequestError
        When a label is none of the model's, or the request contradicts itself.
    ConflictError
        When one contradicts what is known, unless it is to ``replace`` that.
    """
    model_id = policies.model_id_of(session, model)
    # Of two requests one comes second, and sees what the first has kept.
    session.execute(select(Model.id).where(Model.id == model_id).with_for_update())
    sides = _sides(labels_of(session, model_id), sent)
    known = {
        reference: positive
        for part in _parts(list(sides))
        for reference, positive in session.execute(
            select(Outcome.reference, Outcome.positive).where(
                Outcome.model_id == model_id, Outcome.reference.in_(part)
            )
        )
    }
    other = {name for name, side in known.items() if sides[name] != side}
    if other and not replace:
        raise _contradictions(sent, other)
    now = utc_now()
    rows = [
        {"model_id": model_id, "reference": name, "positive": side, "at": now}
        for name, side in sides.items()
        if name not in known
    ]
    if rows:
        session.execute(insert(Outcome), rows)
    for side in (True, False):
        changed = [name for name in other if sides[name] is side]
        for part in _parts(changed):
            session.execute(
                update(Outcome)
                .where(Outcome.model_id == model_id, Outcome.reference.in_(part))
                .values(positive=side, at=now)
            )
    return OutcomesAnswer(
        kept=len(rows),
        repeated=len(known) - len(other),
        replaced=len(other),
        with_case=_tell_cases(session, model_id, sides),
    )


def _sides(labels: dict[str, Label], sent: Sequence[ReferenceLabel]) -> dict[str, bool]:
    check_references([reference for reference, _ in sent], "/outcomes")
    sides: dict[str, bool] = {}
    faults: list[FieldError] = []
    both = " or ".join(repr(label) for label in labels.values())
    for i, (reference, label) in enumerate(sent):
        side = side_of(labels, label)
        if side is None:
            detail = f"the label is {both}"
            faults.append(FieldError(f"/outcomes/{i}/label", detail, row=i))
        elif sides.setdefault(reference, side) != side:
            detail = "an earlier row gives this reference the other label"
            faults.append(FieldError(f"/outcomes/{i}/label", detail, row=i))
        if len(faults) > MOST_FAULTS:
            break
    if faults:
        raise unusable(faults)
    return sides


def _contradictions(
    sent: Sequence[ReferenceLabel], other: Iterable[str]
) -> ConflictError:
    wrong = set(other)
    faults = [
        FieldError(f"/outcomes/{i}/label", "another outcome is known", row=i)
        for i, (reference, _) in enumerate(sent)
        if reference in wrong
    ]
    msg = (
        f"{len(wrong)} references have another outcome already; nothing was changed:"
        " leave them out, or say replace"
    )
    return ConflictError(msg, faults[:MOST_FAULTS])


def _tell_cases(session: Session, model_id: int, sides: dict[str, bool]) -> int:
    """Write the truth to the cases of these references; return how many have one."""
    for side in (True, False):
        for part in _parts([name for name, each in sides.items() if each is side]):
            session.execute(
                update(Case)
                .where(Case.model_id == model_id, Case.reference.in_(part))
                .values(truth=side)
                .execution_options(synchronize_session=False)
            )
    return sum(
        session.scalar(
            select(func.count(Case.reference.distinct())).where(
                Case.model_id == model_id, Case.reference.in_(part)
            )
        )
        or 0
        for part in _parts(list(sides))
    )


def _parts(names: Sequence[str]) -> Iterable[Sequence[str]]:
    return (names[i : i + AT_ONCE] for i in range(0, len(names), AT_ONCE))
