"""From the bytes of a body to a request and its columns, in one pass over the rows.

The outer object is decoded first with everything below it left raw, then the rows
in small blocks: a body of 32 MiB is several million cells, and other threads of
the process must get their turn in between. A cell's place survives as its row
(counted from 0, as in the pointer) and its column's name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol, Self, TypeVar

import msgspec
from pydantic import ValidationError

from app.choices import Described
from app.errors import FieldError, InvalidRequestError
from app.errors.faults import at, no_object, not_json, refuse
from app.errors.validation import field_errors
from app.features.table import Table
from app.train.plan import FORMAT, TrainingPlan
from app.train.price_columns import read_for_prices
from app.train.rows import Cell, Texts, by_column, checked, decoded
from app.train.schemas import DatasetData, InlineData, TrainRequest

__all__ = [
    "Stored",
    "Submission",
    "no_datasets",
    "read_as",
    "read_body",
    "read_mapping",
]

Stored = Callable[[DatasetData], Table]
"""Gives the table of a data set; one without rows where only columns are checked."""


class WithTable(Described, Protocol):
    """A request that holds a table."""

    @property
    def data(self) -> InlineData | DatasetData:
        """The table, or where it is."""

    @classmethod
    def model_validate(cls, obj: Any) -> Self:
        """Read a decoded body."""


Asked = TypeVar("Asked", bound=WithTable)

MOST_BESIDE_BYTES = 4 << 20
"""Of a request without its rows: 10,000 columns have names of 200 characters."""

_OUTER = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ROWS = msgspec.json.Decoder(list[msgspec.Raw])
_ANY = msgspec.json.Decoder()


@dataclass(frozen=True, slots=True)
class Submission:
    """What a request that fits the schema plans, and its table.

    ``checked`` where both were found to go together when the training was asked for.
    """

    plan: TrainingPlan
    table: Table
    checked: bool = False

    @property
    def request(self) -> TrainRequest:
        """Return the request."""
        return self.plan.request


def no_datasets(data: DatasetData) -> Table:
    """Refuse a data set where there are none."""
    del data
    raise refuse([FieldError("/data/id", "no data set can be read here")])


def read_body(body: bytes, stored: Stored = no_datasets) -> Submission:
    """Read a body as it was sent; ``stored`` gives the table of a data set.

    Raises
    ------
    MalformedRequestError
        When it is no JSON (NaN and Infinity are not).
    InvalidRequestError
        When it does not fit the schema, or its parts do not go together; every error
        names its place.
    """
    request, table = read_as(TrainRequest, body, stored)
    return Submission(TrainingPlan.of(request), table)


def read_as(
    schema: type[Asked],
    body: bytes,
    stored: Stored,
    texts: Texts = MappingProxyType({}),
) -> tuple[Asked, Table]:
    """Read a body with a table as another schema has it; raises as `read_body`.

    ``texts`` as in ``Table.from_columns``.
    """
    try:
        parts = _OUTER.decode(body)
        table = _inner(parts.get("data"))
        _check_size(parts, table or {})
        rows = _raw_rows(table)
        request = {key: _ANY.decode(raw) for key, raw in parts.items() if key != "data"}
        if table is not None and rows is not None:
            request["data"] = {
                key: [] if key == "rows" else _ANY.decode(raw)
                for key, raw in table.items()
            }
        elif "data" in parts:
            request["data"] = _ANY.decode(parts["data"])
        return _read(schema, request, decoded, rows or (), stored, texts)
    except msgspec.ValidationError as error:
        raise no_object(error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise not_json(error) from None


def read_mapping(
    body: Mapping[str, Any],
    stored: Stored = no_datasets,
    plan: Mapping[str, Any] | None = None,
) -> Submission:
    """Read a body that is decoded already, by the same rules.

    Parameters
    ----------
    body : mapping
    stored : callable
    plan : mapping, optional
        The payload of the plan that was made of this body: then only the table is read.
        One of another format is made anew.
    """
    if plan is not None and plan["format"] == FORMAT:
        return _planned(TrainingPlan.from_payload(plan), body, stored)
    data, read = body.get("data"), ()
    if isinstance(data, Mapping) and isinstance(data.get("rows"), list):
        body = {**body, "data": {**data, "rows": []}}
        read = data["rows"]
    request, table = _read(TrainRequest, body, checked, read, stored)
    return Submission(TrainingPlan.of(request), table)


def _read(
    schema: type[Asked],
    body: Mapping[str, Any],
    read: Callable[[list[str], Iterable[Any]], Iterator[list[Cell]]],
    rows: Iterable[Any],
    stored: Stored,
    texts: Texts = MappingProxyType({}),
) -> tuple[Asked, Table]:
    try:
        request = schema.model_validate(body)
    except ValidationError as error:
        raise refuse(field_errors(error, body, schema)) from None
    if isinstance(request.data, DatasetData):
        return request, _stored(request, request.data, stored)
    names = request.data.columns
    return request, by_column(names, read(names, rows), request.data.missing, texts)


def _planned(plan: TrainingPlan, body: Mapping[str, Any], stored: Stored) -> Submission:
    data = plan.request.data
    if isinstance(data, DatasetData):  # whose rows nobody has seen yet
        return Submission(plan, _stored(plan.request, data, stored))
    rows = body["data"]["rows"]
    table = by_column(data.columns, iter(rows), data.missing)
    return Submission(plan, table, checked=True)


def _stored(request: WithTable, data: DatasetData, stored: Stored) -> Table:
    """Return a data set by the columns that are named, and by those of prices."""
    table = _columns_of(request, data, stored)
    return table.marked(data.missing) if data.missing else table


def _columns_of(request: WithTable, data: DatasetData, stored: Stored) -> Table:
    more = read_for_prices(request) if isinstance(request, TrainRequest) else {}
    if data.columns is None or not more:
        return stored(data)
    read = data.model_copy(update={"columns": [*data.columns, *more]})
    places = {
        at("data", "columns", j): at("costs", price, "column")
        for j, price in enumerate(more.values(), len(data.columns))
    }
    try:
        return stored(read)
    except InvalidRequestError as error:
        raise refuse(
            replace(fault, pointer=places.get(fault.pointer, fault.pointer))
            for fault in error.errors
        ) from None


def _inner(raw: msgspec.Raw | None) -> dict[str, msgspec.Raw] | None:
    """Return the table's own keys, or None where it is no object."""
    try:
        return None if raw is None else _OUTER.decode(raw)
    except msgspec.ValidationError:
        return None


def _check_size(
    parts: Mapping[str, msgspec.Raw], table: Mapping[str, msgspec.Raw]
) -> None:
    """Refuse a body that is large beside its rows: a schema would take seconds."""
    of_table = sum(len(raw) + len(key) for key, raw in table.items() if key != "rows")
    beside = sum(len(raw) + len(key) for key, raw in parts.items() if key != "data")
    if max(beside, of_table if "rows" in table else 0) > MOST_BESIDE_BYTES:
        msg = f"beside its rows, a body has {MOST_BESIDE_BYTES} bytes at most"
        raise refuse([FieldError("", msg)])


def _raw_rows(table: dict[str, msgspec.Raw] | None) -> list[msgspec.Raw] | None:
    try:
        return (
            None
            if table is None or "rows" not in table
            else _ROWS.decode(table["rows"])
        )
    except msgspec.ValidationError:
        return None
