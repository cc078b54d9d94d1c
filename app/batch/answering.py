"""One model that answers the rows of a batch."""

from app.artifacts.model import Labels
from app.batch.decisions import Decided, decide
from app.models.queries import ResolvedVersion
from app.predict.ready import ReadyModel
from app.predict.rows import Rows

__all__ = ["Answering"]


class Answering:
    """A version of a model, at its own costs.

    Parameters
    ----------
    ready : ReadyModel
    version : ResolvedVersion
    """

    def __init__(self, ready: ReadyModel, version: ResolvedVersion) -> None:
        self.ready, self.version = ready, version

    @property
    def labels(self) -> Labels:
        """What the user calls +1 and -1."""
        return self.ready.model.labels

    def decide(self, rows: Rows, first_row: int) -> Decided:
        """Return the decisions on rows, the first of which has this index."""
        pricing = self.ready.pricing
        judged, notes = self.ready.judge(rows, pricing)
        return decide(judged, pricing, notes, first_row)
