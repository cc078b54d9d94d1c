"""Checks of the columns that prices follow: they exist and hold numbers above 0."""

from collections.abc import Iterator

import numpy as np

from app.artifacts.row_prices import LEAST, MOST
from app.errors import FieldError
from app.errors.faults import at
from app.features.table import Table
from app.train.schemas import ColumnPrice, DatasetData, TrainRequest

__all__ = ["price_errors", "read_for_prices"]

_OTHERWISE = "name a column of numbers, or give one number for all rows"
_SHOWN = 5


def read_for_prices(request: TrainRequest) -> dict[str, str]:
    """Return the columns read for prices alone, each with a price that follows it.

    Any other column that a price follows is a feature too.
    """
    data, costs = request.data, request.costs
    if costs is None or not isinstance(data, DatasetData) or data.columns is None:
        return {}
    followed = {column: price for price, column in costs.columns.items()}
    return {name: price for name, price in followed.items() if name not in data.columns}


def price_errors(request: TrainRequest, table: Table) -> Iterator[FieldError]:
    """Yield what is wrong with the prices; a table without rows is checked as far."""
    costs = request.costs
    if costs is None or not costs.columns:
        return
    for name, price in costs:
        if isinstance(price, ColumnPrice):
            for detail, row in _faults(price, table, request.target.column):
                column = None if row is None else price.column
                yield FieldError(at("costs", name, "column"), detail, row, column)


def _faults(
    price: ColumnPrice, table: Table, target: str
) -> Iterator[tuple[str, int | None]]:
    name = price.column
    if name not in table.names:
        yield f"the table has no column {name!r}; {_OTHERWISE}", None
    elif name == target:
        yield f"{name!r} is the target, which no new row has; {_OTHERWISE}", None
    elif table.types[name] != "numeric":
        holds = {"boolean": "booleans", "categorical": "texts"}[table.types[name]]
        yield (
            f"prices are numbers, the column {name!r} holds {holds}; {_OTHERWISE}",
            None,
        )
    elif table.n_rows:
        prices = price.times * table.columns[name]
        rows = np.flatnonzero(~((prices >= LEAST) & (prices <= MOST))).tolist()
        if rows:
            some = ", ".join(map(str, rows[:_SHOWN]))
            more = ", ..." if len(rows) > _SHOWN else ""
            yield (
                f"a price follows the column {name!r}, which is missing, not above 0 or"
                f" out of range in {len(rows)} rows ({some}{more}, counted from 0):"
                " complete these rows, leave them out, or give one number for all rows",
                rows[0],
            )
