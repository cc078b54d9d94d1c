"""One model that answers the rows of a batch."""

from dataclasses import replace

from app.artifacts.model import Labels
from app.batch.decisions import Decided, decide
from app.errors import InvalidRequestError
from app.journal.entries import Decisions, Entry, Stamp
from app.models.queries import ResolvedVersion
from app.predict.answer import NAMES, REASONS
from app.predict.envelope import Costs
from app.predict.pricing import Pricing, pricing_at
from app.predict.ready import ReadyModel
from app.predict.rows import Rows

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

    Raises
    ------
    InvalidRequestError
        When the thresholds of the model do not follow from costs alone.
    """

    def __init__(
        self,
        ready: ReadyModel,
        version: ResolvedVersion,
        stamp: Stamp | None = None,
        costs: Costs | None = None,
    ) -> None:
        self.ready, self.version = ready, version
        self._pricing = ready.pricing if costs is None else _priced(ready, costs)
        self._entry = None if stamp is None else Entry(stamp)
        if self._entry is not None:
            self._entry.begin(version, self._pricing)

    @property
    def labels(self) -> Labels:
        """What the user calls +1 and -1."""
        return self.ready.model.labels

    def decide(self, rows: Rows, first_row: int) -> Decided:
        """Return the decisions on rows, the first of which has this index."""
        judged, notes = self.ready.judge(rows, self._pricing)
        return decide(judged, self._pricing, notes, first_row)

    def logged(self, decided: Decided, first_row: int) -> bytes:
        """Return the line of these decisions; nothing where the log is off."""
        if self._entry is None or not len(decided.decisions):
            return b""
        return self._entry.line(first_row, decided.judged, _told(decided))


def _priced(ready: ReadyModel, costs: Costs) -> Pricing:
    """Return the rule at other costs; what is wrong with them is in the query here."""
    try:
        return pricing_at(ready.model, costs)
    except InvalidRequestError as error:
        faults = [replace(f, pointer="/query/false_positive") for f in error.errors]
        raise InvalidRequestError(str(error), faults) from None


def _told(decided: Decided) -> Decisions:
    decisions = decided.decisions.tolist()
    guarded, costs, cost = decided.guarded, decided.priced, decided.expected_costs
    guards = [0] * len(decisions) if guarded is None else guarded.tolist()
    priced = None
    if costs is not None:
        names = (*NAMES.values(),)
        priced = {name: one.tolist() for name, one in zip(names, costs, strict=True)}
    return Decisions(
        [NAMES[decision] for decision in decisions],
        [
            None if decision else REASONS[guard]
            for decision, guard in zip(decisions, guards, strict=True)
        ],
        priced,
        None if cost is None else cost.tolist(),
    )
