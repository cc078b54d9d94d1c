"""A model as it is served: everything between a row and its decision, as data.

    columns -> encoded row -> score -> (probability) -> decision by two thresholds
                           -> guards, which reject in front of any rule

The payload of an artifact holds plain data only; its ``format`` tells a file of another
release apart. Format 2 says of a column where values are far outside, and which missing
values its guard takes; files of format 1 know neither and are read alike.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.artifacts.rating import Rating
from app.artifacts.row_prices import (
    OwnPrices,
    RowPrices,
    at_own_prices,
    with_price_columns,
)
from app.errors import CorruptArtifactError, UnreadableArtifactError
from app.features.schema import FeatureSchema
from app.guards.guards import Guards
from solvers.calibration import Calibration
from solvers.costs import CostMatrix, RowCosts
from solvers.rules.band import Band
from solvers.scoring import Outputs, Scorer, load

__all__ = ["FORMAT", "Judged", "Label", "Labels", "ServedModel", "holding_together"]

FORMAT = 3
_READ = (1, 2, FORMAT)
CELLS = 128

Floats = NDArray[np.float64]
Label = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Labels:
    """What the user calls +1 and -1."""

    positive: Label
    negative: Label


@dataclass(frozen=True, slots=True)
class Judged:
    """Rows with their scores and decisions, in order.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        f, or h of a joint booster.
    probabilities : ndarray of shape (n_rows,) or None
        Of +1; None where the model has no calibration.
    decisions : ndarray of shape (n_rows,), int8
        +1, -1 or 0 (reject), by the guards and the rule.
    judged_by : ndarray of shape (n_rows,)
        The values that the thresholds were held against.
    guarded : ndarray of shape (n_rows,), int8, or None
        Which guard rejects the row (`app.guards.guards.GUARDS`); None where none does.
    outputs : Outputs
        What the scorer said.
    prices : RowCosts or None
        Of each row, where they follow its columns.
    """

    scores: Floats
    probabilities: Floats | None
    decisions: NDArray[np.int8]
    judged_by: Floats
    guarded: NDArray[np.int8] | None
    outputs: Outputs
    prices: RowCosts | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ServedModel:
    """One trained model, ready to answer.

    Parameters
    ----------
    features : FeatureSchema
    scorer : Scorer
    rule : mapping
        The payload of the fitted rule (its kind, thresholds and other facts).
    calibration : Calibration or None
    costs : CostMatrix or None
        None also where prices follow columns of the row: ``row_prices``.
    labels : Labels
    guards : Guards
    """

    features: FeatureSchema
    scorer: Scorer
    rule: Mapping[str, Any]
    calibration: Calibration | None
    costs: CostMatrix | None
    labels: Labels
    guards: Guards = field(default_factory=Guards)
    cells: tuple[float, ...] = ()
    """Edges between cells of the score, from out-of-fold scores: what a monitor counts
    in. None where no such scores are kept."""
    rating: Rating | None = None
    """The bands of confidence of a machine that rates rows."""
    row_prices: RowPrices | None = None
    """The prices, where some follow columns of the row."""
    typical: Floats | None = None
    """A typical row, encoded: what explanations compare with. None in old versions."""
    band: Band = field(init=False)
    asked: FeatureSchema = field(init=False)
    """The columns that a row has to have: features, then prices that are none."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "band", Band.from_payload(self.rule))
        asked = with_price_columns(self.features, self.row_prices)
        object.__setattr__(self, "asked", asked)
        if self.scorer.n_features != self.features.n_encoded:
            msg = (
                f"the scorer takes {self.scorer.n_features} columns, the features"
                f" encode to {self.features.n_encoded}"
            )
            raise ValueError(msg)
        if self.band.on == "probability" and not self.has_probability:
            msg = "a rule on the probability needs a calibration"
            raise ValueError(msg)

    @property
    def has_probability(self) -> bool:
        """Tell whether answers carry a probability."""
        if self.calibration is not None:
            return True
        nothing = np.zeros((1, self.scorer.n_features))
        return self.scorer.probability(nothing) is not None

    def judge(
        self,
        X: Floats,
        band: Band | None = None,
        guarded: NDArray[np.int8] | None = None,
        prices: OwnPrices | None = None,
    ) -> Judged:
        """Score encoded rows and decide them.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_encoded)
        band : Band, optional
            Instead of the model's own.
        guarded : ndarray of shape (n_rows,), int8, optional
            Which guard fired; rows of code 0 are decided by the rule.
        prices : OwnPrices, optional
            Of each row; it is then decided at them, in place of the band.
        """
        band = band or self.band
        outputs = self.scorer.outputs(X)
        scores, odds = outputs.score, outputs.log_odds
        probabilities = (
            self.scorer.probability(X)
            if self.calibration is None
            else self.calibration.probability(scores if odds is None else odds)
        )
        values = scores
        if band.on == "probability" and probabilities is not None:
            values = probabilities
        if prices is None:
            decisions = band.decide(values, outputs.reject_score)
        else:
            decisions, guarded = at_own_prices(values, prices, guarded)
        if guarded is not None:
            decisions = np.where(guarded == 0, decisions, np.int8(0))
        own = None if prices is None else prices.costs
        return Judged(scores, probabilities, decisions, values, guarded, outputs, own)

    def to_payload(self) -> dict[str, Any]:
        """Return the model as plain data."""
        calibration, costs = self.calibration, self.costs
        rating = {} if self.rating is None else {"rating": self.rating.payload()}
        return {
            "format": FORMAT,
            "features": self.features.to_payload(),
            "scorer": self.scorer.payload(),
            "rule": dict(self.rule),
            "calibration": None if calibration is None else calibration.payload(),
            "costs": None if costs is None else asdict(costs),
            "labels": asdict(self.labels),
            "guards": self.guards.payload(),
            **rating,
            **(
                {}
                if self.row_prices is None
                else {"prices": self.row_prices.as_given()}
            ),
            **({} if self.typical is None else {"typical": self.typical}),
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Rebuild the model from `to_payload`.

        Raises
        ------
        UnreadableArtifactError
            When the payload is of another format.
        CorruptArtifactError
            When it does not hold together.
        """
        stored = payload.get("format")
        if not isinstance(stored, int) or stored not in _READ:
            msg = (
                f"the model was stored in format {stored!r}, this release reads"
                f" formats up to {FORMAT}: train it again"
            )
            raise UnreadableArtifactError(msg)
        with holding_together():
            calibration, costs = payload["calibration"], payload["costs"]
            rating, prices = payload.get("rating"), payload.get("prices")
            return cls(
                features=FeatureSchema.from_payload(payload["features"]),
                scorer=load(payload["scorer"]),
                rule=payload["rule"],
                calibration=calibration and Calibration.from_payload(calibration),
                costs=costs and CostMatrix(**costs),
                labels=Labels(**payload["labels"]),
                guards=Guards.from_payload(payload["guards"]),
                cells=_cells(payload.get("evidence")),
                rating=rating and Rating.from_payload(rating),
                row_prices=prices and RowPrices.of(prices),
                typical=payload.get("typical"),
            )


@contextmanager
def holding_together() -> Iterator[None]:
    """Make a model of what a file holds; whatever is wrong with that is damage.

    Raises
    ------
    CorruptArtifactError
    """
    try:
        yield
    except Exception as error:  # plain data can fail to be a model in every way
        msg = "the model's file does not hold together: train it again"
        raise CorruptArtifactError(msg) from error


def _cells(evidence: Mapping[str, Any] | None) -> tuple[float, ...]:
    """Return the quantiles of the out-of-fold scores that split them evenly."""
    unseen = evidence and evidence["out_of_fold"]
    if not unseen:
        return ()
    shares = np.arange(1, CELLS) / CELLS
    edges: list[float] = np.unique(np.quantile(unseen["scores"], shares)).tolist()
    return tuple(edges)
