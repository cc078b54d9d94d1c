"""One model that answers the rows of a batch."""

from app.artifacts.model import Labels
from app.batch.decisions import Decided, decide
from app.journal.entries import Decisions, Entry, Stamp
from app.models.queries import ResolvedVersion
from app.predict.answer import NAMES, REASONS
from app.predict.ready import ReadyModel
from app.predict.rows import Rows

__all__ = ["Answering"]


class Answering:
    """A version of a model, at its own costs.

    Parameters
    ----------
    ready : ReadyModel
    version : ResolvedVersion
    stamp : Stamp, optional
        Of the request, where the prediction log is on.
    """

    def __init__(
        self, ready: ReadyModel, version: ResolvedVersion, stamp: Stamp | None = None
    ) -> None:
        self.ready, self.version = ready, version
        self._entry = None if stamp is None else Entry(stamp)
        if self._entry is not None:
            self._entry.begin(version, ready.pricing)

    @property
    def labels(self) -> Labels:
        """What the user calls +1 and -1."""
        return self.ready.model.labels

    def decide(self, rows: Rows, first_row: int) -> Decided:
        """Return the decisions on rows, the first of which has this index."""
        pricing = self.ready.pricing
        judged, notes = self.ready.judge(rows, pricing)
        return decide(judged, pricing, notes, first_row)

    def logged(self, decided: Decided, first_row: int) -> bytes:
        """Return the line of these decisions; nothing where the log is off."""
        if self._entry is None or not len(decided.decisions):
            return b""
        return self._entry.line(first_row, decided.judged, _told(decided))


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
