"""New model: a file is dropped, a target and its label picked, prices set, trained.

The trainer is ``auto``: the ensemble of several. Columns that would flatter or
mislead are unticked, with the reason; so is the target, which is no feature.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

from fastapi import Depends, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.responses import Response
from starlette.types import Message

from app.datasets import service
from app.datasets.describing import Profile, profiles
from app.datasets.reader_pool import reader_pool_of
from app.datasets.routes import take_in
from app.datasets.schemas import DatasetDetail, DatasetQuery, UploadQuery
from app.datasets.store import DatasetStore
from app.errors import (
    ApiError,
    BodyTooLargeError,
    InvalidRequestError,
    UnsupportedMediaTypeError,
)
from app.jobs.repeating import repeatable
from app.pages.page import go, page_router, render, say
from app.pages.visitor import opens
from app.state import state_of
from app.strict import number_in
from app.train.queueing import queue

__all__ = ["router"]

router = page_router()
TRAINS = [Depends(opens("POST", "/train"))]
PRICES = {"missed": "5", "alarm": "1", "look": "0.2"}
"""Prices that the form begins with: a missed case is dear, a person's look cheap."""
COSTS = {
    "missed": ("false_negative",),
    "alarm": ("false_positive",),
    "look": ("reject_positive", "reject_negative"),
}
_EXAMPLES = 3
_LONGEST = 40


@dataclass(frozen=True, slots=True)
class Seen:
    """A data set as the form shows it."""

    detail: DatasetDetail
    profiles: Sequence[Profile] = ()


@router.get("/train", dependencies=TRAINS)
def show_drop(
    request: Request, refused: Annotated[str, Query(max_length=40)] = ""
) -> Response:
    """Ask for a file; a larger one than is taken leads back here."""
    most = state_of(request).settings.max_upload_bytes
    too_large = BodyTooLargeError(say("train.too_large", most=round(most / 2**20)))
    return _drop(request, too_large if refused == BodyTooLargeError.slug else None)


def _drop(
    request: Request, error: ApiError | None = None, *, unknown: bool = False
) -> Response:
    return render(
        request,
        "train.html",
        status=200 if error is None else error.status,
        here="train",
        error=error,
        unknown=unknown,
        most=state_of(request).settings.max_upload_bytes,
    )


@router.post("/train/example", dependencies=TRAINS)
async def take_example(request: Request) -> Response:
    """Keep the table that comes with the service, and go on to its columns."""
    table = (files("app.pages") / "example.csv").read_bytes()
    bodies = [table]

    async def receive() -> Message:
        if not bodies:  # what comes then tells whether somebody still waits
            return await request.receive()
        return {"type": "http.request", "body": bodies.pop(), "more_body": False}

    headers = [(b"content-type", b"text/csv")]
    brought = Request({**request.scope, "headers": headers}, receive)
    kept = await take_in(brought, UploadQuery(name="example.csv"))
    return go(request, f"/train/{kept.id}?target=disease")


@router.post("/train", dependencies=TRAINS)
async def take_file(request: Request) -> Response:
    """Keep a file, read as it suggests itself, and go on to its columns."""
    try:
        kept = await take_in(request, UploadQuery())
    except UnsupportedMediaTypeError as error:
        return _drop(request, error, unknown=True)
    except InvalidRequestError as error:
        unknown = any(fault.pointer == "/query/format" for fault in error.errors)
        return _drop(request, error, unknown=unknown)
    return go(request, f"/train/{kept.id}")


async def _seen(request: Request, dataset_id: str, target: str) -> Seen:
    """Return a data set, with the classes of its target where that has any."""
    state = state_of(request)
    store = DatasetStore(state.settings.datasets_dir)

    def look() -> tuple[DatasetDetail, Path]:
        query = DatasetQuery(preview=20, target=target or None)
        with state.database.read() as session:
            file = service.file_of(service.find(session, dataset_id))
            path = held.enter_context(store.checked(file))
            try:
                description = service.describe(session, store, dataset_id, query)
            except InvalidRequestError:  # too many values to be classes
                plain = DatasetQuery(preview=20)
                description = service.describe(session, store, dataset_id, plain)
        return description, path.resolve()

    with ExitStack() as held:
        detail, path = await run_in_threadpool(look)
        return Seen(detail, await reader_pool_of(request).run(profiles, path))


@router.get("/train/{dataset_id}", dependencies=TRAINS)
async def show_columns(
    request: Request, dataset_id: str, target: str = "", positive: str = ""
) -> Response:
    """Show the columns of a file, and what can be trained on them."""
    seen = await _seen(request, dataset_id, target[:200])
    return _form(request, seen, target, {"positive": positive})


def _form(
    request: Request,
    seen: Seen,
    target: str,
    sent: dict[str, Any],
    error: InvalidRequestError | None = None,
) -> Response:
    detail = seen.detail
    faults: dict[str, str] = {}
    for fault in () if error is None else error.errors:
        faults.setdefault(_field(fault.pointer), fault.detail)
    balance = detail.target
    classes = [] if balance is None else balance.classes
    labels = [json.dumps(one.label) for one in classes]
    positive = sent.get("positive")
    if positive not in labels:  # the rarer one is most often the one that is looked for
        positive = labels[-1] if labels else ""
    prices = {name: sent.get(name) or price for name, price in PRICES.items()}
    shown = zip(detail.columns, seen.profiles, strict=True)
    return render(
        request,
        "train_columns.html",
        status=200 if error is None else error.status,
        here="train",
        data=detail,
        columns=[
            (column, profile, _examples(detail, i))
            for i, (column, profile) in enumerate(shown)
        ],
        target=target if balance is not None else "",
        too_many=bool(target) and balance is None,
        rows=sum(one.rows for one in classes),
        missing=0 if balance is None else balance.missing,
        classes=list(zip(labels, classes, strict=True)),
        positive=positive,
        names=(
            next((c.label for c in classes if json.dumps(c.label) == positive), ""),
            next((c.label for c in classes if json.dumps(c.label) != positive), ""),
        ),
        model=sent.get("model") or _name(detail.name),
        prices=prices,
        looks=_looks(prices),
        ticked=sent.get("columns"),
        faults=faults,
        error=error,
        once=sent.get("once") or uuid4().hex,
    )


def _examples(detail: DatasetDetail, place: int) -> list[str]:
    """Return the first different values of a column."""
    cells = [row[place] for row in detail.preview.rows]
    texts = dict.fromkeys(
        f"{cell:g}" if isinstance(cell, float) else str(cell)[:_LONGEST]
        for cell in cells
        if cell is not None
    )
    return list(texts)[:_EXAMPLES]


def _looks(prices: dict[str, str]) -> dict[str, str]:
    """Return as how many looks of a person mistakes cost; nothing without prices."""
    missed, alarm, look = (
        _number(prices[name]) for name in ("missed", "alarm", "look")
    )
    in_looks = {}
    for name, price in (("missed", missed), ("alarm", alarm)):
        if isinstance(price, float) and isinstance(look, float) and look > 0:
            in_looks[name] = f"{price / look:.3g}"
    return in_looks if len(in_looks) == 2 else {}


def _name(file_name: str) -> str:
    """Return a name for the model of a file."""
    stem = file_name.rpartition(".")[0] or file_name
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:64]
    return name or "model"


def _field(pointer: str) -> str:
    """Return which field of the form a fault of the request is about."""
    _, top, *rest = [*pointer.split("/"), "", ""]
    if top == "costs":
        kinds = (name for name, costs in COSTS.items() if rest[0] in costs)
        return next(kinds, "look")
    return "columns" if top == "data" else top


@router.post("/train/{dataset_id}", dependencies=TRAINS)
async def begin(request: Request, dataset_id: str) -> Response:
    """Queue the training, and go on to its job."""
    form = await request.form()
    target = str(form.get("target", ""))[:200]
    seen = await _seen(request, dataset_id, target)
    names = [column.name for column in seen.detail.columns]
    ticked = {names[int(i)] for i in _places(form, len(names))}
    kept = [name for name in names if name in ticked and name != target]
    fields = ("positive", "model", "once", *PRICES)
    sent = {**{k: str(form.get(k, "")) for k in fields}, "columns": ticked}
    body = {
        "model": sent["model"],
        "trainer": {"kind": "auto"},
        "costs": {
            cost: _number(str(sent[name]))
            for name, costs in COSTS.items()
            for cost in costs
        },
        "data": {"kind": "dataset", "id": dataset_id, "columns": [*kept, target]},
        "target": {"column": target, "positive": _label(str(sent["positive"]))},
    }
    state, asked = state_of(request), json.dumps(body).encode()
    # The same form sent twice is one training; sent with other prices it is another.
    once = hashlib.sha256(str(sent["once"]).encode() + asked).hexdigest()
    same = repeatable(request, once if sent["once"] else None, asked)

    def queued() -> str:
        with state.database.write() as session:
            return queue(session, state, asked, same)[0].id

    try:
        job = await run_in_threadpool(queued)
    except InvalidRequestError as error:
        return _form(request, seen, target, sent, error)
    return go(request, f"/jobs/{job}")


def _places(form: FormData, most: int) -> list[str]:
    sent = [str(place) for place in form.getlist("column")]
    return [i for i in sent if i.isascii() and i.isdecimal() and int(i) < most]


def _number(text: str) -> float | str:
    """Return a price; what is none goes on as it is, to be told."""
    try:
        return number_in(text, comma=True)
    except ValueError:
        return text


def _label(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
