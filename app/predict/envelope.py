"""The outer object of a request; its rows stay raw until the model is known.

``model`` says which decoder reads the rows, so a body is decoded in two stages: this
one skims it, the next (``app.predict.rows``) reads typed rows.
"""

from typing import Any, Literal, get_args

import msgspec
from msgspec import UNSET, Raw, UnsetType

from app.errors import ApiError, FieldError, MalformedRequestError
from app.errors.faults import not_json, unusable

__all__ = [
    "ColumnPrice",
    "Costs",
    "Envelope",
    "Grid",
    "Member",
    "decode_grid",
    "read_envelope",
]


Member = Literal[
    "decision",
    "label",
    "score",
    "probability",
    "expected_cost",
    "expected_costs",
    "reason",
    "would_be",
    "distances",
    "warnings",
    "band",
    "case",
    "explanation",
]
"""What may be told of a row, in the order of the answer."""


class Envelope(msgspec.Struct, forbid_unknown_fields=True):
    """The members of a request."""

    model: str
    instances: Raw | UnsetType = UNSET
    data: Raw | UnsetType = UNSET
    extra_columns: Literal["refuse", "ignore"] = "refuse"
    costs: "Costs | None" = None
    explain: bool = False
    references: list[str] | None = None
    """What the caller calls the rows, for their cases."""
    layout: Literal["rows", "columns"] = "rows"
    fields: list[Member] | None = None
    """The members of a prediction that are wanted; all without it."""

    @property
    def ignore_extra(self) -> bool:
        """Tell whether columns that the model does not know are passed over."""
        return self.extra_columns == "ignore"


class Grid(msgspec.Struct, forbid_unknown_fields=True):
    """Rows as lists under named columns, the other way to give them."""

    columns: list[str]
    rows: Raw
    kind: Literal["inline"] = "inline"


class ColumnPrice(msgspec.Struct, forbid_unknown_fields=True):
    """A price that is ``times`` the number in a column of the row."""

    column: str
    times: float | UnsetType = UNSET


class Costs(msgspec.Struct, forbid_unknown_fields=True):
    """The four prices of a decision."""

    false_positive: float | ColumnPrice
    false_negative: float | ColumnPrice
    reject_positive: float | ColumnPrice
    reject_negative: float | ColumnPrice

    @property
    def colons(self) -> int:
        """How many colons the prices have as JSON."""
        columns = [
            price
            for name in self.__struct_fields__
            if isinstance(price := getattr(self, name), ColumnPrice)
        ]
        more = (1 + p.column.count(":") + (p.times is not UNSET) for p in columns)
        return 4 + sum(more)


_ENVELOPE = msgspec.json.Decoder(Envelope)
_GRID = msgspec.json.Decoder(Grid)
_PARTS = msgspec.json.Decoder(dict[str, Raw])

_MEMBERS = ", ".join(get_args(Member))
_TYPES: dict[type[msgspec.Struct], dict[str, tuple[Any, str]]] = {
    Envelope: {
        "model": (str, "a string"),
        "instances": (Raw, ""),
        "data": (Raw, ""),
        "extra_columns": (Literal["refuse", "ignore"], '"refuse" or "ignore"'),
        "costs": (dict[str, Raw] | None, "an object of four prices"),
        "explain": (bool, "true or false"),
        "references": (list[str] | None, "a list of strings, one a row"),
        "layout": (Literal["rows", "columns"], '"rows" or "columns"'),
        "fields": (list[Member] | None, f"a list of some of {_MEMBERS}"),
    },
    Grid: {
        "columns": (list[str], "a list of strings"),
        "rows": (Raw, ""),
        "kind": (Literal["inline"], '"inline"'),
    },
    Costs: dict.fromkeys(
        (field.name for field in msgspec.structs.fields(Costs)),
        (float | ColumnPrice, 'a finite number, or {"column": name, "times": number}'),
    ),
}


def read_envelope(body: bytes) -> Envelope:
    """Return the members of a body.

    Raises
    ------
    MalformedRequestError
        When the body is no JSON; NaN and Infinity are none.
    InvalidRequestError
        When members are missing, unknown or of a wrong type.
    """
    try:
        envelope = _ENVELOPE.decode(body)
    except msgspec.ValidationError:
        raise _explained(body, Envelope, "") from None
    except (ValueError, RecursionError) as error:
        raise not_json(error) from None
    if (envelope.instances is UNSET) == (envelope.data is UNSET):
        detail = "rows are given once: as instances, or as data"
        raise unusable([FieldError("/instances", detail)])
    return envelope


def decode_grid(raw: Raw) -> Grid:
    """Return columns and rows of ``data``; raises as `read_envelope` does."""
    try:
        return _GRID.decode(raw)
    except msgspec.ValidationError:
        raise _explained(bytes(raw), Grid, "/data") from None
    except (ValueError, RecursionError) as error:
        raise not_json(error) from None


def _explained(body: bytes, wanted: type[msgspec.Struct], pointer: str) -> ApiError:
    """Look at each member by itself and say what is wrong, not what was sent."""
    try:
        parts = _PARTS.decode(body)
    except msgspec.ValidationError:
        return unusable([FieldError(pointer, "an object is expected here")])
    except (ValueError, RecursionError) as error:
        return not_json(error)
    known = _TYPES[wanted]
    faults = [
        FieldError(f"{pointer}/{field.name}", "the member is missing")
        for field in msgspec.structs.fields(wanted)
        if field.required and field.name not in parts
    ]
    names = ", ".join(known)
    for name, raw in parts.items():
        if name not in known:
            detail = f"an unknown member; known are {names}"
            faults.append(FieldError(f"{pointer}/{name[:200]}", detail))
            continue
        kind, words = known[name]
        try:
            value = msgspec.json.decode(raw, type=kind)
        except (ValueError, RecursionError):
            faults.append(FieldError(f"{pointer}/{name}", f"expected {words}"))
            continue
        if wanted is Envelope and name == "costs" and value is not None:
            inner = _explained(bytes(raw), Costs, "/costs")
            faults += inner.errors
    return unusable(faults) if faults else MalformedRequestError("unreadable body")
