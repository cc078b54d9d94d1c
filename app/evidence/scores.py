"""Scores of rows that the scorer did not see, and what is fitted on them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import inf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError
from app.errors.faults import refuse
from app.evidence.part import Part
from app.train.rules import RuleChoice, rule_parameters
from app.train.schemas import TrainRequest
from app.train.trainers.registry import TRAINERS
from solvers.calibration import Calibration, fit_calibration
from solvers.costs import CostMatrix, RowCosts
from solvers.rules.band import Band
from solvers.rules.base import FittedByScores
from solvers.rules.plug_in import ChowRule
from solvers.rules.registry import RULES
from solvers.scoring import Scorer

__all__ = ["AtOwnPrices", "Evidence", "calibrate", "fit_rule", "score"]

Floats = NDArray[np.float64]

_NO_LINK = (
    "plug-in reads the p-svm's own link, which is believed where at least half of the"
    " targets lie strictly between 0 and 1; ask for chow"
)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Scores beside the rows they belong to.

    Parameters
    ----------
    part : Part
    scores : ndarray of shape (n_rows,)
    reject_scores : ndarray of shape (n_rows,) or None
        r(x), where the model learns a rejector.
    log_odds : ndarray of shape (n_rows,) or None
        What the probability is calibrated on, where that is not the score.
    guarded : ndarray of shape (n_rows,), int8, or None
        Which guard rejects the row; None where no guard is on.
    prices : RowCosts or None
        Of each row, where they follow its columns.
    """

    part: Part
    scores: Floats
    reject_scores: Floats | None = None
    guarded: NDArray[np.int8] | None = None
    log_odds: Floats | None = None
    prices: RowCosts | None = None

    @property
    def calibrated_on(self) -> Floats:
        """Return the values that a calibration turns into probabilities."""
        return self.scores if self.log_odds is None else self.log_odds

    @property
    def passing(self) -> "Evidence":
        """Return the rows that no guard rejects: those that reach the rule."""
        if self.guarded is None:
            return self
        kept = self.guarded == 0
        rejects, odds = self.reject_scores, self.log_odds
        return Evidence(
            self.part.only(kept),
            self.scores[kept],
            None if rejects is None else rejects[kept],
            log_odds=None if odds is None else odds[kept],
        )

    def at_prevalence(self, prevalence: float) -> "Evidence":
        """Return the rows at another share of +1; see `Part.at_prevalence`."""
        return replace(self, part=self.part.at_prevalence(prevalence))

    def payload(self) -> dict[str, Any]:
        """Return the evidence as plain data."""
        return {
            "rows": self.part.rows,
            "positive": self.part.positive,
            "weight": self.part.weight,
            "groups": self.part.groups,
            "keys": self.part.keys,
            "scores": self.scores,
            "reject_scores": self.reject_scores,
            "log_odds": self.log_odds,
            "guarded": self.guarded,
            "prices": self.prices
            and {f.name: getattr(self.prices, f.name).copy() for f in fields(RowCosts)},
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Rebuild the evidence from `payload`."""
        weight, prices = payload["weight"], payload.get("prices")
        part = Part(
            payload["rows"],
            payload["positive"],
            weight,
            weighted=bool((weight != 1.0).any()),
            groups=payload.get("groups"),
            keys=payload.get("keys"),
        )
        return cls(
            part,
            payload["scores"],
            payload["reject_scores"],
            payload["guarded"],
            payload.get("log_odds"),
            prices and RowCosts(**prices),
        )


class AtOwnPrices(ChowRule):
    """Chow's rule where each row has prices of its own: no thresholds hold for all."""

    def fit(self, *_: Any) -> Self:
        """Leave nothing to the band: what asks it instead of prices rejects."""
        self.band_ = Band(-inf, inf, on="probability")
        return self

    def payload(self) -> dict[str, Any]:
        """Return the rule; no threshold, and no decision that is always taken."""
        return {**super().payload(), "always": None, "own_prices": True}


def score(
    scorer: Scorer,
    matrix: Floats,
    part: Part,
    guarded: NDArray[np.int8] | None = None,
    prices: RowCosts | None = None,
) -> Evidence:
    """Return what the scorer, and the guards, say of the rows of a part."""
    scored = scorer.outputs(matrix)
    outputs = (scored.score, scored.reject_score)
    return Evidence(part, *outputs, guarded, scored.log_odds, prices)


def calibrate(*evidence: Evidence | None) -> Calibration:
    """Return the map from scores (or implied log-odds) to probabilities of +1.

    Parameters
    ----------
    *evidence : Evidence or None
        Rows that the model had not seen, or models of the other folds; None is none.
    """
    parts = []
    for some in evidence:
        if some is not None:
            position, label, weight = some.part.certain()
            parts.append((some.calibrated_on[position], label, weight))
    scores, labels, weights = map(np.concatenate, zip(*parts, strict=True))
    return fit_calibration(scores, labels, weights)


def fit_rule(
    request: TrainRequest,
    chosen: RuleChoice,
    costs: CostMatrix | None,
    calibration: Calibration,
    evidence: Evidence | None,
) -> FittedByScores:
    """Return the rule of a request, fitted.

    Parameters
    ----------
    request : TrainRequest
    chosen : RuleChoice
        The one it names, or what its prices call for.
    costs : CostMatrix or None
    calibration : Calibration
        The scorer's own link gives the plug-in rule its slope; a rule on the
        probability reads the scores through it.
    evidence : Evidence or None
        None where the rule follows from its parameters alone. Rows that a guard
        rejects are left out: they never reach the rule.

    Raises
    ------
    InvalidRequestError
        When guards reject every row, or the rule has no answer for these scores or
        refuses its parameters.
    """
    if request.costs is not None and request.costs.columns:
        return AtOwnPrices().fit()
    passing = None if evidence is None else evidence.passing
    if passing is not None and not len(passing.scores):
        detail = (
            "guards reject every row that the rule would be chosen on; where a column's"
            " texts differ from row to row, as identifiers do, leave it out, or switch"
            " the guard off"
        )
        raise refuse([FieldError("/guards", detail)])
    parameters = rule_parameters(chosen)
    takes = {wanted.name for wanted in RULES[chosen.kind].parameters()}
    # A threshold of the request's own stands instead of the costs.
    if "costs" in takes and "reject_threshold" not in parameters:
        parameters["costs"] = costs
    if "slope" in takes and TRAINERS[request.trainer.kind].probabilities:
        if calibration.kind != "link":
            raise refuse([FieldError("/rule/kind", _NO_LINK)])
        parameters["slope"] = calibration.slope
    try:
        rule = RULES[chosen.kind](**parameters)
        if passing is None:
            return rule.fit()  # type: ignore[attr-defined, no-any-return]
        if rule.promised:  # a row is a row, doubtful or not, and a group is a draw
            part = passing.part
            options = {"groups": part.groups, "keys": part.keys}
            return rule.fit(passing.scores, part.positive, **options)  # type: ignore[attr-defined, no-any-return]
        values, label, weight = _values(rule, calibration, passing)
        return rule.fit(values, label, weight)  # type: ignore[attr-defined, no-any-return]
    except ValueError as error:
        raise refuse([FieldError("/rule", str(error))]) from error


def _values(
    rule: FittedByScores, calibration: Calibration, evidence: Evidence
) -> tuple[Floats, NDArray[np.int8], Floats | None]:
    position, label, weight = evidence.part.certain()
    scores = evidence.scores[position]
    if rule.on == "probability":
        scores = calibration.probability(evidence.calibrated_on[position])
    plain = not evidence.part.weighted and (weight == 1.0).all()
    return scores, label, None if plain else weight
