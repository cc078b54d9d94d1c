"""A loaded model with everything that answering takes, made once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.artifacts.model import Judged, ServedModel, holding_together
from app.features.encoding import Encoder, RowNote
from app.guards.guards import missing_rows
from app.models.queries import ResolvedVersion
from app.predict.answer import Prediction, Tally
from app.predict.decided import Decided, decide
from app.predict.explain import Explained, Explainer, Explanation, explained
from app.predict.many import predictions
from app.predict.pricing import Pricing, own_pricing
from app.predict.rows import RowReaders, Rows
from app.predict.single import SingleRow

__all__ = ["Note", "ReadyModel", "head", "tail"]

_ENCODER = msgspec.json.Encoder()

Notes = Mapping[int, list[RowNote]]
Note = Callable[[int, Judged, Sequence[Prediction] | Decided], None]
"""Takes the index of the first row, and what was decided and answered."""


class ReadyModel:
    """One model version in memory.

    Parameters
    ----------
    payload : mapping
        The payload of its artifact.

    Raises
    ------
    CorruptArtifactError
        When it is no model, or one of another release.
    """

    def __init__(self, payload: Mapping[str, Any]) -> None:
        self.model = ServedModel.from_payload(payload)
        with holding_together():
            self.schema = self.model.asked
            self.readers = RowReaders(self.schema)
            self.pricing = own_pricing(self.model)
            self._encoder = Encoder(self.model.features)
            self._place = {f.name: j for j, f in enumerate(self.schema.numbers)}
            self._read = [self._place[f.name] for f in self.model.features.numbers]
            self.single = SingleRow(self.model, self._encoder)
        self._explainer: Explainer | None = None
        self._heads: dict[tuple[str, int], bytes] = {}

    def answer(
        self, rows: Rows, pricing: Pricing, first: int = 0, note: Note | None = None
    ) -> tuple[list[Prediction], Tally]:
        """Score, decide and price rows; see `app.predict.many.predictions`.

        ``note`` is told what was decided.
        """
        judged, notes = self.judge(rows, pricing)
        answers = predictions(judged, pricing, self.model.labels, notes, first)
        if note is not None:
            note(first, judged, answers[0])
        return answers

    def explain(
        self, rows: Rows, pricing: Pricing, first: int = 0, note: Note | None = None
    ) -> tuple[list[Explained], Tally]:
        """Answer as `answer` does, each row with what its columns add.

        Raises
        ------
        InvalidRequestError
            When the model cannot tell.
        """
        answers, tally = self.answer(rows, pricing, first, note)
        return explained(answers, self.explanations(rows)), tally

    def explanations(self, rows: Rows) -> list[Explanation]:
        """Return what the columns of each row add; raises as `explain`."""
        encoded = self._encoder.encode(self._numbers(rows), rows.categories)
        return self.explainer.explain(encoded.matrix)

    def decide(
        self, rows: Rows, pricing: Pricing, first: int = 0, note: Note | None = None
    ) -> Decided:
        """Answer as `answer` does, in arrays; see `app.predict.decided.decide`."""
        judged, notes = self.judge(rows, pricing)
        decided = decide(judged, pricing, notes, first)
        if note is not None:
            note(first, judged, decided)
        return decided

    @property
    def explainer(self) -> Explainer:
        """Return what explains this model's answers; refuse where nothing can."""
        if self._explainer is None:
            self._explainer = Explainer(
                self.model.features, self.model.scorer, self.model.typical
            )
        return self._explainer

    def judge(self, rows: Rows, pricing: Pricing) -> tuple[Judged, Notes]:
        """Score rows and decide them, guards first; say what is unlike training."""
        numbers = self._numbers(rows)
        encoded = self._encoder.encode(numbers, rows.categories)
        guarded = self.model.guards.fired(
            encoded.matrix,
            encoded.notes,
            lambda: missing_rows(numbers, rows.categories),
        )
        prices = None
        if pricing.row_prices is not None:
            columns = pricing.row_prices.columns
            own = {name: rows.numbers[:, self._place[name]] for name in columns}
            prices = pricing.row_prices.at(own)
        judged = self.model.judge(encoded.matrix, pricing.band, guarded, prices)
        return judged, encoded.notes

    def _numbers(self, rows: Rows) -> NDArray[np.float64]:
        """Return the numbers that the scorer takes, without those of prices alone."""
        if self.schema is self.model.features:
            return rows.numbers
        return rows.numbers[:, self._read]

    def head(self, version: ResolvedVersion, pricing: Pricing) -> bytes:
        """Return the beginning of an answer, up to its list of predictions."""
        if pricing is not self.pricing:
            return head(version, pricing)
        key = (version.name, version.version)
        if key not in self._heads:
            self._heads[key] = head(version, pricing)
        return self._heads[key]


def head(version: ResolvedVersion, pricing: Pricing) -> bytes:
    """Return an answer's JSON up to its list of predictions."""
    opening = {
        "model": {"name": version.name, "version": version.version},
        **pricing.described(),
    }
    return _ENCODER.encode(opening)[:-1] + b',"predictions":'


def tail(tally: Tally) -> bytes:
    """Return an answer's JSON after its list of predictions."""
    return b',"summary":' + _ENCODER.encode(tally.summary()) + b"}"
