"""MLflow's scoring protocol: /invocations, /ping, /version, and deployments' endpoints.

    {"dataframe_split": {"columns": [...], "data": [[...], ...]}}
    {"dataframe_records": [{...}, ...]}   {"instances": [{...}, ...]}
    {"inputs": {"column": [...], ...}}    {"inputs": [[...], ...]}, in the model's order

are other names for ``data`` and ``instances`` of POST /predict, and its answer is one
of MLflow's: an object with ``predictions``, records of which ``decision`` comes first.
/invocations names no model: ``DEMUR_DEFAULT_MODEL`` does. What a large body takes to be
read is done in a thread, so that other requests have their turn.
"""

import re
from collections.abc import Sequence
from importlib.metadata import version
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from app.errors import ApiError, FieldError, InvalidRequestError, UnknownModelError
from app.errors.faults import not_json, unusable
from app.predict.endpoint import SMALL_BYTES
from app.predict.in_arrays import at_once
from app.protocols.skin import Address, Call, Reply, Skin, as_json, nan_as_null
from app.web.depth import check_depth
from app.web.duplicates import check_keys
from app.web.json_bodies import require_json

__all__ = ["SKIN"]

_ENCODER = msgspec.json.Encoder()


class _Split(msgspec.Struct, forbid_unknown_fields=True):
    columns: list[str]
    data: Raw
    index: Raw | UnsetType = UNSET


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    dataframe_split: _Split | UnsetType = UNSET
    dataframe_records: Raw | UnsetType = UNSET
    instances: Raw | UnsetType = UNSET
    inputs: Raw | UnsetType = UNSET
    params: dict[str, Any] | None = None


_DECODER = msgspec.json.Decoder(_Body)
_COLUMNS = msgspec.json.Decoder(dict[str, Raw])
_BLOCK = 1024
_COLUMN = msgspec.json.Decoder(list[Any])
_ROWS = ("dataframe_split", "dataframe_records", "instances", "inputs")


async def _invoke(call: Call) -> Reply:
    require_json(call.headers.get(b"content-type", b""))
    small = len(call.body) <= SMALL_BYTES
    body = await _read(call, small=small)
    model = call.parts.get("model") or call.state.settings.default_model
    if not model:
        msg = (
            "this address names no model: set DEMUR_DEFAULT_MODEL, or post to"
            " /endpoints/{model}/invocations"
        )
        raise UnknownModelError(msg)
    names: tuple[str, ...] = ()
    if body.inputs is not UNSET and _begins(body.inputs) == b"[":
        _, ready = await call.predict.load(model)
        names = ready.schema.names
    asked = await at_once(_asked, model, body, names, small=small)
    answered = await call.predict.decide(asked, call.request_id)
    call.predict.note(answered.version, answered.tally)
    return Reply(answered.body)


async def _read(call: Call, *, small: bool) -> _Body:
    sent = await nan_as_null(call.body, small=small)
    await check_depth(sent, call.state.settings.max_json_depth)
    try:
        body = await at_once(_DECODER.decode, sent, small=small)
    except msgspec.ValidationError:
        await check_keys(sent)
        raise _unread() from None
    except (ValueError, RecursionError) as error:
        raise not_json(error) from None
    await check_keys(sent)
    forms = [name for name in _ROWS if getattr(body, name) is not UNSET]
    if len(forms) != 1:
        detail = f"rows are given once, as one of {', '.join(_ROWS)}"
        raise unusable([FieldError("", detail)])
    if body.params:
        raise unusable([FieldError("/params", "a model here takes no parameters")])
    return body


def _unread() -> InvalidRequestError:
    detail = f"an object with one of {', '.join(_ROWS)} is expected, as MLflow has it"
    return unusable([FieldError("", detail)])


def _asked(model: str, body: _Body, names: Sequence[str]) -> bytes:
    """Return the body of POST /predict that asks the same.

    Rows stay the bytes that they are, but where they come column by column.
    """
    asked: dict[str, Any] = {"model": model}
    if body.dataframe_split is not UNSET:
        split = body.dataframe_split
        asked["data"] = {"columns": split.columns, "rows": split.data}
    elif body.inputs is not UNSET:
        asked |= _inputs(body.inputs, names)
    else:
        records = body.dataframe_records
        asked["instances"] = body.instances if records is UNSET else records
    return _ENCODER.encode(asked)


def _begins(raw: Raw) -> bytes:
    return bytes(memoryview(raw)[:1])


def _inputs(inputs: Raw, names: Sequence[str]) -> dict[str, Any]:
    begins = _begins(inputs)
    if begins == b"[":
        if bytes(inputs)[1:].lstrip()[:1] == b"[":
            return {"data": {"columns": names, "rows": inputs}}
        return {"instances": inputs}
    if begins != b"{":
        raise _unread()
    try:
        # One by one, as the rows are written: in between, others have their turn.
        columns = {n: _COLUMN.decode(c) for n, c in _COLUMNS.decode(inputs).items()}
    except msgspec.ValidationError:
        raise _unread() from None
    except (ValueError, RecursionError) as error:
        raise not_json(error) from None
    if len({len(values) for values in columns.values()}) > 1:
        detail = "the columns are of different lengths"
        raise unusable([FieldError("/inputs", detail)])
    rows = zip(*columns.values(), strict=True)
    pieces = []
    while block := list(islice(rows, _BLOCK)):
        pieces.append(_ENCODER.encode(block)[1:-1])
    listed = Raw(b"[" + b",".join(pieces) + b"]")
    return {"data": {"columns": list(columns), "rows": listed}}


async def _ping(call: Call) -> Reply:
    del call
    return Reply(b"\n", b"text/plain")


async def _version(call: Call) -> Reply:
    del call
    return Reply(version("demur").encode(), b"text/plain")


def _error_body(error: ApiError) -> bytes:
    codes = {404: "RESOURCE_DOES_NOT_EXIST", 503: "TEMPORARILY_UNAVAILABLE"}
    usual = "INTERNAL_ERROR" if error.status >= 500 else "BAD_REQUEST"
    code = codes.get(error.status, usual)
    return as_json({"error_code": code, "message": error.detail}).body


SKIN = Skin(
    (
        Address(re.compile("/invocations"), "/invocations", {"POST": _invoke}),
        Address(
            re.compile("/endpoints/(?P<model>[^/]+)/invocations"),
            "/endpoints/{name}/invocations",
            {"POST": _invoke},
        ),
        Address(re.compile("/ping"), "/ping", {"GET": _ping}),
        Address(re.compile("/version"), "/version", {"GET": _version}),
    ),
    _error_body,
)
