"""One model that answers the rows of a batch."""

from dataclasses import replace
from pathlib import Path

from app.artifacts.model import Labels
from app.artifacts.rating import Rating
from app.batch.cases import FileCases, JobPart
from app.db.session import Database
from app.errors import InvalidRequestError
from app.journal.entries import Decisions, Entry, Stamp
from app.models.queries import ResolvedVersion
from app.predict.decided import Decided, decide
from app.predict.envelope import Costs
from app.predict.pricing import Pricing, pricing_at
from app.predict.ready_model import ReadyModel
from app.predict.rows import Rows
from app.reviews.intake import no_references
from app.reviews.new_case import Origin
from app.reviews.policy import Terms

__all__ = ["Answering"]


class Answering:
    """A version of a model, at its own costs or those that were asked for.

    Parameters
    ----------
    ready : ReadyModel
    version : ResolvedVersion
    stamp : Stamp, optional
        Of the request, where the prediction log is on.
    costs : Costs, optional
        Instead of the model's own.
    reference : str, optional
        The column that says what the caller calls the rows.

    Raises
    ------
    InvalidRequestError
        When the thresholds of the model do not follow from costs alone; or references
        are missing, and nothing else is kept of rejected rows.
    """

    cases: FileCases | None = None
    """Opens those of rejected rows, where they are reviewed."""

    def __init__(
        self,
        ready: ReadyModel,
        version: ResolvedVersion,
        stamp: Stamp | None = None,
        costs: Costs | None = None,
        reference: str | None = None,
    ) -> None:
        self.ready, self.version, self.reference = ready, version, reference
        self._pricing = ready.pricing if costs is None else _priced(ready, costs)
        self._entry = None if stamp is None else Entry(stamp)
        if self._entry is not None:
            self._entry.begin(version, self._pricing)

    @property
    def labels(self) -> Labels:
        """What the user calls +1 and -1."""
        return self.ready.model.labels

    @property
    def rating(self) -> Rating | None:
        """The bands of confidence, where the model rates rows."""
        return self.ready.model.rating

    def decide(self, rows: Rows, first_row: int) -> Decided:
        """Return the decisions on rows, the first of which has this index."""
        judged, notes = self.ready.judge(rows, self._pricing)
        return decide(judged, self._pricing, notes, first_row, "/rows")

    def open_cases(
        self,
        terms: Terms,
        database: Database,
        spool: Path,
        part: JobPart | None = None,
    ) -> FileCases:
        """Have cases opened for rejected rows; return them."""
        costs = self._pricing.prices
        if self.reference is None and part is None and not terms.keep_features:
            pointer = "/query/reference"
            raise no_references(pointer)
        named = (self.version.name, self.version.version)
        origin = Origin.of(terms, named, self.labels, costs)
        self.cases = FileCases(origin, self.ready.schema, database, spool, part)
        return self.cases

    def logged(self, decided: Decided, first_row: int) -> bytes:
        """Return the line of these decisions; nothing where the log is off."""
        if self._entry is None or not len(decided.decisions):
            return b""
        return self._entry.line(
            first_row, decided.judged, Decisions.of_columns(decided)
        )


def _priced(ready: ReadyModel, costs: Costs) -> Pricing:
    """Return the rule at other costs; what is wrong with them is in the query here."""
    try:
        return pricing_at(ready.model, costs)
    except InvalidRequestError as error:
        faults = [replace(f, pointer="/query/false_positive") for f in error.errors]
        raise InvalidRequestError(str(error), faults) from None
