"""The Open Inference Protocol, version 2, over HTTP, with its binary tensor extension.

Inputs are one tensor of numbers [n, d] in the order of the model's columns, or a tensor
a column, [n] or [n, 1], by name: numbers, BOOL, BYTES for categories; NaN, "" and null
are missing values. A tensor of texts beside them may say what the caller calls the rows
(``app.protocols.inputs``). Outputs and ``on_reject`` are those of the convention in
docs/reject-convention.md, version 1.
"""

import re
from functools import partial
from importlib.metadata import version
from typing import Any

import msgspec
import numpy as np

from app.errors import ApiError, FieldError
from app.errors.faults import not_json, unusable
from app.health.readiness import missing
from app.predict.endpoint import SMALL_BYTES
from app.predict.in_arrays import Settled, at_once, settle
from app.predict.ready_model import ReadyModel
from app.protocols.inputs import REFERENCES, read_inputs
from app.protocols.outputs import (
    ON_REQUEST,
    OUTPUTS,
    OnReject,
    absent_of,
    outputs_of,
)
from app.protocols.skin import Act, Address, Call, Reply, Skin, as_json, nan_as_null
from app.protocols.tensors import Tensor, Values, binary, values_of
from app.web.depth import check_depth
from app.web.duplicates import check_keys

__all__ = ["SKIN"]

_HEAD = b"inference-header-content-length"
_ENCODER = msgspec.json.Encoder()


class _Output(msgspec.Struct):
    name: str
    parameters: dict[str, Any] = {}


class _Parameters(msgspec.Struct, frozen=True):
    on_reject: OnReject = "word"
    binary_data_output: bool = False


class _Request(msgspec.Struct):
    inputs: list[Tensor]
    id: str | None = None
    parameters: _Parameters = _Parameters()
    outputs: list[_Output] | None = None


_DECODER = msgspec.json.Decoder(_Request)


async def _infer(call: Call) -> Reply:
    head, tail = _parted(call)
    small = len(call.body) <= SMALL_BYTES
    head = await nan_as_null(head, small=small)
    await check_depth(head, call.state.settings.max_json_depth)
    await check_keys(head)
    asked, values = await at_once(_taken, head, tail, small=small)
    settled = await settle(
        call.predict,
        call.model,
        lambda ready: read_inputs(ready, asked.inputs, values),
        call.request_id,
        partial(_check, asked),
        small=small,
    )
    return await at_once(_reply, asked, settled, small=small)


def _taken(head: bytes, tail: bytes) -> tuple[_Request, list[Values]]:
    """Return a request and the values of its inputs."""
    asked = _read(head)
    raws = _raws(asked.inputs, tail)
    values = [values_of(t, i, raws.get(i)) for i, t in enumerate(asked.inputs)]
    return asked, values


def _parted(call: Call) -> tuple[bytes, bytes]:
    """Return the JSON of a body, and the binary tensors behind it."""
    size = call.headers.get(_HEAD)
    if size is None:
        return call.body, b""
    digits = size.isascii() and size.isdigit() and len(size) <= 12
    if not digits or int(size) > len(call.body):
        detail = "is to be the length of the JSON in front of the binary tensors"
        where = FieldError("/header/Inference-Header-Content-Length", detail)
        raise unusable([where])
    return call.body[: int(size)], call.body[int(size) :]


def _read(head: bytes) -> _Request:
    try:
        return _DECODER.decode(head)
    except msgspec.ValidationError:
        detail = (
            "inputs with name, shape and datatype are expected, as the Open Inference"
            " Protocol has it; on_reject is word, force or error"
        )
        raise unusable([FieldError("", detail)]) from None
    except (ValueError, RecursionError) as error:
        raise not_json(error) from None


def _raws(inputs: list[Tensor], tail: bytes) -> dict[int, bytes]:
    """Return the bytes of each binary input."""
    raws, at = {}, 0
    for i, tensor in enumerate(inputs):
        size = tensor.parameters.get("binary_data_size")
        if size is None:
            continue
        if type(size) is not int or not 0 <= size <= len(tail) - at:
            detail = "the body has fewer bytes than binary_data_size says"
            raise unusable([FieldError(f"/inputs/{i}/parameters", detail)])
        raws[i] = tail[at : at + size]
        at += size
    if at < len(tail):
        detail = "the body has more bytes than its binary tensors"
        raise unusable([FieldError("", detail)])
    return raws


def _check(asked: _Request, settled: Settled) -> None:
    """Refuse outputs that there are not, and rejects that the client cannot have."""
    ready, reviewed = settled.ready, settled.version.review is not None
    absent = absent_of(ready, reviewed=reviewed) - {"decision_code"}
    if ready.model.has_probability and ready.pricing.prices is not None:
        absent.discard("costs")
    for i, output in enumerate(asked.outputs or ()):
        if output.name not in OUTPUTS or output.name in absent:
            there = ", ".join(name for name in OUTPUTS if name not in absent)
            detail = f"the model has no such output; it has {there}"
            raise unusable([FieldError(f"/outputs/{i}", detail)])
    if asked.parameters.on_reject != "error":
        return
    rows = np.flatnonzero(settled.decided.decisions == 0).tolist()
    if rows:
        detail = "the row is rejected, and on_reject is error"
        raise unusable(FieldError("/inputs", detail, row=row) for row in rows)


def _reply(asked: _Request, settled: Settled) -> Reply:
    outputs = outputs_of(settled, asked.parameters.on_reject)
    lacking = ("expected_cost",) if len(settled.decided.unpriced) else ()
    wanted = asked.outputs or [
        _Output(name) for name in outputs if name not in (*ON_REQUEST, *lacking)
    ]
    usual = asked.parameters.binary_data_output
    listed: list[dict[str, Any]] = []
    pieces = []
    for output in wanted:
        values = outputs[output.name]
        datatype = OUTPUTS[output.name]
        one: dict[str, Any] = {
            "name": output.name,
            "shape": [len(values), 3 if output.name == "costs" else 1],
            "datatype": datatype,
        }
        if output.parameters.get("binary_data", usual) is True:
            pieces.append(binary(values, datatype))
            one["parameters"] = {"binary_data_size": len(pieces[-1])}
        else:
            one["data"] = np.ravel(np.asarray(values)).tolist()
        listed.append(one)
    tally = settled.tally
    parameters: dict[str, Any] = {"reject_option": "1", "rejected": tally.rejected}
    if (mean := tally.summary().expected_cost) is not None:
        parameters["mean_expected_cost"] = mean
    head: dict[str, Any] = {
        "model_name": settled.version.name,
        "model_version": str(settled.version.version),
        "parameters": parameters,
        "outputs": listed,
    }
    if asked.id is not None:
        head["id"] = asked.id
    if not pieces:
        return as_json(head)
    written = _ENCODER.encode(head)
    length = ((_HEAD, str(len(written)).encode()),)
    body = b"".join((written, *pieces))
    return Reply(body, b"application/octet-stream", headers=length)


async def _server(call: Call) -> Reply:
    del call
    extensions = ["binary_tensor_data", "reject_option", REFERENCES]
    named = {"name": "demur", "version": version("demur"), "extensions": extensions}
    return as_json(named)


async def _live(call: Call) -> Reply:
    del call
    return as_json({"live": True})


async def _ready(call: Call) -> Reply:
    ready = not missing(call.state)
    return as_json({"ready": ready}, status=200 if ready else 503)


async def _model(call: Call) -> Reply:
    version, ready = await call.predict.load(call.model)
    return as_json(
        {
            "name": version.name,
            "versions": [str(version.version)],
            "platform": "demur",
            "inputs": _described(ready),
            "outputs": [
                {"name": name, "datatype": datatype, "shape": [-1, 1]}
                for name, datatype in OUTPUTS.items()
                if name not in absent_of(ready, reviewed=version.review is not None)
            ],
        }
    )


def _described(ready: ReadyModel) -> list[dict[str, Any]]:
    kinds = {"numeric": "FP64", "boolean": "BOOL", "categorical": "BYTES"}
    return [
        {"name": f.name, "datatype": kinds[f.type], "shape": [-1, 1]}
        for f in ready.schema.features
    ]


async def _model_ready(call: Call) -> Reply:
    version, _ = await call.predict.load(call.model)
    return as_json({"name": version.name, "ready": True})


def _error_body(error: ApiError) -> bytes:
    return _ENCODER.encode({"error": error.detail})


def _address(path: str, **acts: Act) -> Address:
    pattern = path.replace("{model}", "(?P<model>[^/]+)")
    pattern = pattern.replace("[/versions/{v}]", "(?:/versions/(?P<version>[^/]+))?")
    route = path.replace("/?", "").replace("[/versions/{v}]", "")
    return Address(re.compile(pattern), route, acts)


_OF_MODEL = "/v2/models/{model}[/versions/{v}]"
SKIN = Skin(
    (
        _address("/v2/?", GET=_server),
        _address("/v2/health/live", GET=_live),
        _address("/v2/health/ready", GET=_ready),
        _address(_OF_MODEL, GET=_model),
        _address(f"{_OF_MODEL}/ready", GET=_model_ready),
        _address(f"{_OF_MODEL}/infer", POST=_infer),
    ),
    _error_body,
)
