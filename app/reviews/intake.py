"""Which answered rows become cases, and what a case keeps of its row.

A rejected row becomes one where the policy sends its reason to people; its answer then
names the case. An accepted row becomes one by a draw,

    HMAC-SHA256(secret, model | version | reference) / 2^256 < rate of its decision

which a retry repeats, and which neither the caller nor a reviewer can see or steer: an
answer says nothing of it, and the draw is made after the answer has gone. The rate is
kept with the case (``inclusion``): verdicts are weighted by 1 / rate.
"""

import hmac
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from app.artifacts.model import Labels
from app.artifacts.row_prices import RowPrices
from app.errors import FieldError, InvalidRequestError
from app.errors.faults import MOST_FAULTS, unusable
from app.features.schema import FeatureSchema
from app.predict.answer import Prediction, Tally
from app.predict.rows import Rows
from app.reviews.new_case import NewCase, Origin, features_of
from app.reviews.policy import AUDIT, BROUGHT, Terms
from solvers.costs import CostMatrix

__all__ = [
    "REFERENCE",
    "Intake",
    "check_references",
    "draws",
    "no_references",
]

LONGEST_REFERENCE = 200
REFERENCE = rf"[^\x00-\x1f\x7f]{{1,{LONGEST_REFERENCE}}}"
_REFERENCE = re.compile(REFERENCE)


def check_references(references: Sequence[str], pointer: str = "/references") -> None:
    """Refuse what cannot be a reference.

    Raises
    ------
    InvalidRequestError
        Naming each place.
    """
    if all(map(_REFERENCE.fullmatch, references)):
        return
    detail = (
        f"a reference is 1 to {LONGEST_REFERENCE} characters, none a control character"
    )
    wrong = [
        FieldError(f"{pointer}/{i}", detail, row=i)
        for i, reference in enumerate(references)
        if not _REFERENCE.fullmatch(reference)
    ]
    raise unusable(wrong[: MOST_FAULTS + 1])


class Intake:
    """The cases that come of one request; it crosses a process border once drawn.

    A request without rejects pays for little more than this object.

    Parameters
    ----------
    terms : Terms
    named : (name, version)
        Of the model.
    labels : Labels
    costs : CostMatrix, RowPrices or None
        At which the request is decided.
    schema : FeatureSchema
    references : sequence of str, optional
        What the caller calls the rows.

    Raises
    ------
    InvalidRequestError
        When references are missing and nothing else is kept.
    """

    __slots__ = (
        "_accepted",
        "_facts",
        "_origin",
        "_references",
        "_schema",
        "audits",
        "opened",
        "terms",
    )

    def __init__(
        self,
        terms: Terms,
        named: tuple[str, int],
        labels: Labels,
        costs: CostMatrix | RowPrices | None,
        schema: FeatureSchema,
        references: Sequence[str] | None,
    ) -> None:
        if references is None and not terms.keep_features:
            raise no_references()
        self.terms, self._facts = terms, (named, labels, costs)
        self._schema, self._references = schema, references
        self._origin: Origin | None = None
        self._accepted: list[tuple[int, Sequence[Prediction], Callable[[], Rows]]] = []
        self.opened: list[NewCase] = []
        """The cases of rejects, which the answers name."""
        self.audits: list[NewCase] = []
        """Those that were drawn of the accepted rows."""

    @property
    def origin(self) -> Origin:
        """What the cases have in common."""
        if self._origin is None:
            self._origin = Origin.of(self.terms, *self._facts)
        return self._origin

    def take(
        self,
        first: int,
        answers: Sequence[Prediction],
        tally: Tally,
        rows: Callable[[], Rows],
        rejected: Iterable[int] | None = None,
    ) -> None:
        """Open cases for rejected rows; remember the accepted ones for the draw.

        Parameters
        ----------
        first : int
            Index in the request of the first of these rows.
        answers : sequence of Prediction
            Each is told its case.
        tally : Tally
            Of these rows.
        rows : callable
            Returns them; called only where a case is opened.
        rejected : iterable of int, optional
            Which of them are rejected, where that is known already.
        """
        terms = self.terms
        if tally.rejected:
            read: Rows | None = None
            for i in range(len(answers)) if rejected is None else rejected:
                answer = answers[i]
                if answer.reason is not None and answer.reason in terms.send:
                    read = read or rows()
                    case = self._case(first + i, i, answer, answer.reason, read)
                    answer.case = case.id
                    self.opened.append(case)
        if terms.audit and tally.rejected < tally.rows:
            self._accepted.append((first, answers, rows))

    @property
    def may_be_audited(self) -> bool:
        """Tell whether audits were drawn, or may be."""
        return bool(self._accepted or self.audits)

    def draw(self) -> list[NewCase]:
        """Draw audits among the accepted rows, once; return them."""
        accepted, self._accepted = self._accepted, []
        for first, answers, rows in accepted:
            read: Rows | None = None
            for i, rate in self._drawn(first, answers):
                read = read or rows()
                case = self._case(first + i, i, answers[i], AUDIT, read, rate)
                self.audits.append(case)
        return self.audits

    def bring(
        self,
        at: int,
        due_at: datetime | None,
        answer: Prediction | None = None,
        rows: Rows | None = None,
        row: int = 0,
    ) -> None:
        """Open a case that a caller brings, whatever the machine says of it."""
        if answer is None or rows is None:
            reference = None if self._references is None else self._references[at]
            common = self.origin.costs
            case = NewCase(self.origin, reference, BROUGHT, None, costs=common)
        else:
            case = self._case(at, row, answer, BROUGHT, rows)
        self.opened.append(replace(case, due_at=due_at))

    def _drawn(
        self, first: int, answers: Sequence[Prediction]
    ) -> Iterator[tuple[int, float]]:
        drawn = draws(self.terms.secret, *self._facts[0])
        rates, references = self.terms.audit, self._references
        limits = self.terms.limits
        for i, answer in enumerate(answers):
            limit = limits.get(answer.decision)
            if limit is not None:
                reference = None if references is None else references[first + i]
                if drawn(reference) < limit:
                    yield i, rates[answer.decision]

    def _case(
        self,
        at: int,
        row: int,
        answer: Prediction,
        reason: str,
        rows: Rows,
        inclusion: float = 1.0,
    ) -> NewCase:
        costs = answer.expected_costs
        saving = 0.0
        # An audit saves nothing by itself: among audits, the score chooses none.
        if costs is not None and reason != AUDIT:
            saving = min(costs.plus, costs.minus) - costs.reject
        keeps = self.terms.keep_features
        return NewCase(
            self.origin,
            None if self._references is None else self._references[at],
            reason,
            features_of(self._schema, rows, row) if keeps else None,
            answer.decision,
            inclusion,
            answer.score,
            answer.probability,
            answer.would_be == self.origin.labels["positive"],
            saving,
            costs=self.origin.costs_of(self._schema, rows, row),
        )


def no_references(pointer: str = "/references") -> InvalidRequestError:
    """Return the refusal of rows without references, where nothing else is kept."""
    detail = "the review policy of this model keeps references only: send one a row"
    return unusable([FieldError(pointer, detail)])


@lru_cache(maxsize=256)  # asked for with every request
def draws(
    secret: bytes, model: str, version: int | None
) -> Callable[[str | None], bytes]:
    """Return the draw: 32 bytes of a reference, always the same, or none at random.

    What all rows of a version have in common is hashed once.
    """
    common = hmac.new(secret, f"{model}|{version}|".encode(), "sha256")

    def drawn(reference: str | None) -> bytes:
        if reference is None:
            return secrets.token_bytes(32)
        named = common.copy()
        named.update(reference.encode())
        return named.digest()

    return drawn
