"""A case that is to be opened: what it keeps of its row, and what it was decided at."""

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Self

from app.artifacts.model import Label, Labels
from app.artifacts.row_prices import RowPrices
from app.db.tables import new_id
from app.features.schema import FeatureSchema
from app.predict.rows import Rows
from app.reviews.policy import Terms
from solvers.costs import CostMatrix

__all__ = ["NewCase", "Origin", "features_of"]


@dataclass(frozen=True, slots=True)
class Origin:
    """What the cases of one request have in common."""

    terms: Terms
    model: str
    version: int | None
    labels: dict[str, Label]
    costs: dict[str, float] | None
    prices: RowPrices | None = None
    """Instead of costs, where each case has its own."""

    @classmethod
    def of(
        cls,
        terms: Terms,
        named: tuple[str, int | None],
        labels: Labels,
        costs: CostMatrix | RowPrices | None,
    ) -> Self:
        """Return what cases of rows have in common that a version answers."""
        names = asdict(labels)
        if isinstance(costs, RowPrices):
            return cls(terms, *named, names, None, costs)
        return cls(terms, *named, names, None if costs is None else asdict(costs))

    def costs_of(
        self, schema: FeatureSchema, rows: Rows, row: int
    ) -> dict[str, float] | None:
        """Return the prices of one row, where it has its own and they are known."""
        if self.prices is None:
            return self.costs
        place = {feature.name: j for j, feature in enumerate(schema.numbers)}
        return self.prices.of_row(
            {
                name: rows.numbers[row, place[name]].item()
                for name in self.prices.columns
            }
        )


@dataclass(frozen=True, slots=True)
class NewCase:
    """A case that is to be opened; the members are those of `app.db.review_tables`."""

    origin: Origin
    reference: str | None
    reason: str
    features: dict[str, Any] | None
    decision: str | None = None
    inclusion: float = 1.0
    score: float | None = None
    probability: float | None = None
    would_be: bool | None = None
    saving: float = 0.0
    due_at: datetime | None = None
    id: str = field(default_factory=new_id)
    costs: dict[str, float] | None = None


def features_of(schema: FeatureSchema, rows: Rows, row: int) -> dict[str, Any]:
    """Return the columns of one row by name; a missing value is None."""
    named: dict[str, Any] = {}
    for j, feature in enumerate(schema.numbers):
        number = rows.numbers[row, j].item()
        present = number == number  # noqa: PLR0124 - NaN is what differs from itself
        value = bool(number) if feature.type == "boolean" else number
        named[feature.name] = value if present else None
    for j, feature in enumerate(schema.categoricals):
        named[feature.name] = rows.categories[j][row]
    return {name: named[name] for name in schema.names}
