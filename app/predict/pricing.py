"""The rule and the costs that a request is answered by.

A request may bring costs of its own only where the thresholds follow from the costs
and what the model keeps: the Chow rule (there, prices may follow columns of the row),
the plug-in rule of a machine whose score is the log-odds by its own link, and the rule
of least expected cost, by its ROC convex hull. Everywhere else the thresholds were
chosen from training scores, or the score itself depends on the costs.
"""

from dataclasses import asdict, dataclass
from typing import Any

from msgspec import UNSET

from app.artifacts.model import ServedModel
from app.artifacts.rating import Rating
from app.artifacts.row_prices import LEAST, MOST, RowPrices
from app.errors import FieldError, InvalidRequestError
from app.errors.faults import unusable
from app.features.values import trimmed
from app.predict.envelope import ColumnPrice, Costs
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
    row_prices: RowPrices | None = None
    """Instead of costs, where some follow columns of the row: each is then decided at
    its own, and the band holds for none."""

    @property
    def prices(self) -> CostMatrix | RowPrices | None:
        """Return the prices in either form."""
        return self.costs or self.row_prices

    def described(self) -> dict[str, object]:
        """Return ``costs``, ``thresholds`` and ``bands`` as an answer tells them."""
        facts: dict[str, object]
        if self.row_prices is not None:
            facts = {"costs": self.row_prices.as_given(), "thresholds": None}
        else:
            costs = None if self.costs is None else asdict(self.costs)
            facts = {"costs": costs, "thresholds": self.band.thresholds()}
        if self.rating is None:
            return facts
        return {**facts, "bands": self.rating.probabilities}


_RANGE = f"a price, or its times, is a number from {LEAST:g} to {MOST:g}"


def _far(price: float) -> bool:
    return not LEAST <= price <= MOST


def own_pricing(model: ServedModel) -> Pricing:
    """Return the rule and costs that the model was trained with."""
    own = (model.band, model.costs, model.cells, model.rating, model.row_prices)
    return Pricing(*own)


def pricing_at(model: ServedModel, costs: Costs) -> Pricing:
    """Return the model's rule at other costs.

    Raises
    ------
    InvalidRequestError
        When the costs are none that a rule can be derived from, or the model's
        thresholds do not follow from costs alone.
    """
    by_name = {name: getattr(costs, name) for name in costs.__struct_fields__}
    if any(isinstance(price, ColumnPrice) for price in by_name.values()):
        prices = _of_rows(model, by_name)
        return Pricing(model.band, None, model.cells, model.rating, prices)
    outside = [FieldError(f"/costs/{n}", _RANGE) for n in by_name if _far(by_name[n])]
    if outside:
        raise unusable(outside)
    try:
        matrix = CostMatrix(**by_name)
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


def _of_rows(model: ServedModel, by_name: dict[str, Any]) -> RowPrices:
    """Return prices that follow columns which the model reads."""
    if model.rule.get("kind") != "chow" or not model.has_probability:
        raise _fixed(model.rule.get("kind"))
    known = [f.name for f in model.asked.features if f.type == "numeric"]
    faults, prices = [], {}
    for name, price in by_name.items():
        times = price if isinstance(price, float) else price.times
        times = 1.0 if times is UNSET else times
        prices[name] = times
        if _far(times):
            faults.append(FieldError(f"/costs/{name}", _RANGE))
        if isinstance(price, ColumnPrice):
            prices[name] = {"column": trimmed(price.column), "times": times}
            if trimmed(price.column) not in known:
                detail = (
                    f"the model reads no column of numbers {price.column[:200]!r}; it"
                    f" reads {', '.join(known[:20]) or 'none'}: name one of these, give"
                    " a number, or train with this price"
                )
                faults.append(FieldError(f"/costs/{name}/column", detail))
    if faults:
        raise unusable(faults)
    return RowPrices.of(prices)


def _fixed(kind: object) -> InvalidRequestError:
    detail = (
        f"the thresholds of this model ({kind} rule) were fixed in training and do not"
        " follow from costs alone: leave costs out, re-price the version (POST"
        " /models/{name}/versions/{version}/reprice), or train with these costs"
    )
    return unusable([FieldError("/costs", detail)])
