"""MLflow's scoring protocol: /invocations, /ping, /version, and deployments' endpoints.

    {"dataframe_split": {"columns": [...], "data": [[...], ...]}}
    {"dataframe_records": [{...}, ...]}   {"instances": [{...}, ...]}
    {"inputs": {"column": [...], ...}}    {"inputs": [[...], ...]}, in the model's order

are other names for ``data`` and ``instances`` of POST /predict, and its answer is one
of MLflow's: an object with ``predictions``, records of which ``decision`` comes first.
/invocations names no model: ``DEMUR_DEFAULT_MODEL`` does. Its client writes a missing
number as NaN, which is no JSON: here it is null.
"""

import asyncio
import re
from importlib.metadata import version
from itertools import repeat
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from app.errors import ApiError, FieldError, UnknownModelError
from app.features.faults import unusable
from app.predict.envelope import malformed
from app.protocols.skin import Address, Call, Reply, Skin, as_json
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
    inputs: dict[str, list[Any]] | list[Any] | UnsetType = UNSET
    params: dict[str, Any] | None = None


_DECODER = msgspec.json.Decoder(_Body)
_NAN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|\bNaN\b', re.DOTALL)
"""A text, which stays as it is, or the word NaN."""
_ROWS = ("dataframe_split", "dataframe_records", "instances", "inputs")


async def _invoke(call: Call) -> Reply:
    require_json(call.headers.get(b"content-type", b""))
    body = await _read(call)
    model = call.parts.get("model") or call.state.settings.default_model
    if not model:
        msg = (
            "this address names no model: set DEMUR_DEFAULT_MODEL, or post to"
            " /endpoints/{model}/invocations"
        )
        raise UnknownModelError(msg)
    asked: dict[str, Any] = {"model": model}
    if body.dataframe_split is not UNSET:
        split = body.dataframe_split
        asked["data"] = {"columns": split.columns, "rows": split.data}
    elif body.inputs is not UNSET:
        asked |= await _inputs(call, model, body.inputs)
    else:
        records = body.dataframe_records
        asked["instances"] = body.instances if records is UNSET else records
    answered = await call.predict.decide(_ENCODER.encode(asked), call.request_id)
    call.predict.note(answered.version, answered.tally)
    return Reply(answered.body)


async def _read(call: Call) -> _Body:
    sent = call.body
    if b"NaN" in sent:
        sent = await asyncio.to_thread(_NAN.sub, _as_null, sent)
    await check_depth(sent, call.state.settings.max_json_depth)
    try:
        body = _DECODER.decode(sent)
    except msgspec.ValidationError:
        await check_keys(sent)
        detail = (
            f"an object with one of {', '.join(_ROWS)} is expected, as MLflow has it"
        )
        raise unusable([FieldError("", detail)]) from None
    except (ValueError, RecursionError) as error:
        raise malformed(error) from None
    await check_keys(sent)
    given = [name for name in _ROWS if getattr(body, name) is not UNSET]
    if len(given) != 1:
        detail = f"rows are given once, as one of {', '.join(_ROWS)}"
        raise unusable([FieldError("", detail)])
    if body.params:
        raise unusable([FieldError("/params", "a model here takes no parameters")])
    return body


def _as_null(found: re.Match[bytes]) -> bytes:
    return b"null" if found[0] == b"NaN" else found[0]


async def _inputs(
    call: Call, model: str, inputs: dict[str, list[Any]] | list[Any]
) -> dict[str, Any]:
    if isinstance(inputs, dict):
        lengths = {len(values) for values in inputs.values()}
        if len(lengths) > 1:
            detail = "the columns are of different lengths"
            raise unusable([FieldError("/inputs", detail)])
        rows = [list(row) for row in zip(*inputs.values(), strict=True)]
        return {"data": {"columns": list(inputs), "rows": rows}}
    if all(map(isinstance, inputs, repeat(dict))):
        return {"instances": inputs}
    _, ready = await call.predict.ready(model)
    return {"data": {"columns": ready.schema.names, "rows": inputs}}


async def _ping(call: Call) -> Reply:
    del call
    return Reply(b"\n")


async def _version(call: Call) -> Reply:
    del call
    return Reply(version("demur").encode(), b"text/plain")


def _told(error: ApiError) -> bytes:
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
    _told,
)
