"""The rule and the costs that a request is answered by.

A request may bring costs of its own only where the thresholds follow from the costs
and what the model keeps: the Chow rule, the plug-in rule of a machine whose score is
the log-odds by its own link, and the rule of least expected cost, by its ROC convex
hull. Everywhere else the thresholds were chosen from training scores, or the score
itself depends on the costs.
"""

from dataclasses import asdict, dataclass

from app.artifacts.model import ServedModel
from app.artifacts.rating import Rating
from app.errors import FieldError, InvalidRequestError
from app.features.faults import unusable
from app.predict.envelope import Costs
from solvers.costs import CostMatrix
from solvers.errors import InfeasibleRuleError, InvalidCostsError
from solvers.rules import band_at_costs
from solvers.rules.band import Band

__all__ = ["Pricing", "own_pricing", "pricing_at"]


@dataclass(frozen=True, slots=True)
class Pricing:
    """The band that decides, and the costs that decisions are told in."""

    band: Band
    costs: CostMatrix | None
    cells: tuple[float, ...] = ()
    """Edges of the cells that the monitor counts scores in."""
    rating: Rating | None = None
    """The bands of confidence, which follow from the score alone."""

    def described(self) -> dict[str, object]:
        """Return ``costs``, ``thresholds`` and ``bands`` as an answer tells them."""
        costs = None if self.costs is None else asdict(self.costs)
        told: dict[str, object] = {"costs": costs, "thresholds": self.band.told()}
        if self.rating is None:
            return told
        return {**told, "bands": self.rating.probabilities}


def own_pricing(model: ServedModel) -> Pricing:
    """Return the rule and costs that the model was trained with."""
    return Pricing(model.band, model.costs, model.cells, model.rating)


def pricing_at(model: ServedModel, costs: Costs) -> Pricing:
    """Return the model's rule at other costs.

    Raises
    ------
    InvalidRequestError
        When the costs are none that a rule can be derived from, or the model's
        thresholds do not follow from costs alone.
    """
    try:
        matrix = CostMatrix(
            **{name: getattr(costs, name) for name in costs.__struct_fields__}
        )
    except InvalidCostsError as error:
        raise unusable([FieldError("/costs", str(error))]) from None
    link = model.calibration
    if link is not None and link.kind != "link":
        link = None
    facts = model.rule if link is None else {**model.rule, "slope": link.slope}
    try:
        band = band_at_costs(facts, matrix, own_link=link is not None)
    except InfeasibleRuleError:
        raise _fixed(model.rule.get("kind")) from None
    return Pricing(band, matrix, model.cells, model.rating)


def _fixed(kind: object) -> InvalidRequestError:
    detail = (
        f"the thresholds of this model ({kind} rule) were fixed in training and do not"
        " follow from costs alone: leave costs out, re-price the version (POST"
        " /models/{name}/versions/{version}/reprice), or train with these costs"
    )
    return unusable([FieldError("/costs", detail)])
