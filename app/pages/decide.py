"""Decide: a case in a form, or a file of them, by the code of POST /predict.

A case is tried out: nothing is logged or counted, nobody is asked. Where it is meant,
it is a prediction like any other, and people get it if the machine will not decide.

Why: the case is asked again with each column left out in turn. That is what the model
does, whatever it is; it tells of columns one by one, not of their interplay.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Query, Request
from starlette.responses import Response

from app.batch.routes import decide_file
from app.batch.schemas import BatchQuery
from app.db.session import Reading
from app.errors import InvalidRequestError, UnknownModelError
from app.features.feature import Feature
from app.models import service
from app.models.queries import ResolvedVersion
from app.models.schemas import ModelsQuery
from app.pages.page import error_in_words, page_router, render, say
from app.pages.visitor import opens
from app.predict.endpoint import PredictEndpoint
from app.predict.ready_model import ReadyModel
from app.state import state_of
from app.strict import number_in

__all__ = ["router"]

router = page_router()
PREDICTS = [Depends(opens("POST", "/predict"))]
MOST_COLUMNS = 200
"""In a form; wider models are asked by file."""
_SHOWN = 8


@router.get("/decide", dependencies=PREDICTS)
async def show_form(
    request: Request, session: Reading, model: str = "", refused: str = ""
) -> Response:
    """Show the models to choose from, and the form of one.

    A larger file than is taken leads back here.
    """
    names = [
        m.name for m in service.list_models(session, ModelsQuery(limit=200)).models
    ]
    if not model and names:
        model = names[0]
    if not model:
        return render(request, "decide.html", here="decide", names=[], version=None)
    version, ready = await _found(request, model)
    most = round(state_of(request).settings.max_upload_bytes / 2**20)
    wrong = say("train.too_large", most=most) if refused else ""
    return _page(request, version, ready, names=names, wrong_file=wrong)


async def _found(request: Request, model: str) -> tuple[ResolvedVersion, ReadyModel]:
    """Return a version by its reference; of a bare name the champion, if any."""
    predict: PredictEndpoint = request.app.state.predict
    if ":" not in model and "@" not in model:
        try:
            return await predict.load(f"{model}@champion")
        except UnknownModelError:
            return await predict.load(model)
    return await predict.load(model)


def _page(
    request: Request,
    version: ResolvedVersion,
    ready: ReadyModel,
    *,
    status: int = 200,
    names: Sequence[str] = (),
    **context: Any,
) -> Response:
    shown: dict[str, Any] = {
        "values": {},
        "faults": {},
        "wrong": None,
        "wrong_file": "",
        "answer": None,
        "reasons": [],
        "queue": False,
    }
    features = ready.schema.features
    return render(
        request,
        "decide.html",
        status=status,
        here="decide",
        names=names,
        version=version,
        labels=ready.model.labels,
        features=features if len(features) <= MOST_COLUMNS else [],
        **{**shown, **context},
    )


@router.post("/decide", dependencies=PREDICTS)
async def decide_one(request: Request, model: str = "") -> Response:
    """Say what the machine says of one case, and why."""
    predict: PredictEndpoint = request.app.state.predict
    version, ready = await _found(request, model)
    form = await request.form()
    features = ready.schema.features
    values = {f.name: str(form.get(f"c{i}", "")) for i, f in enumerate(features)}
    queue = form.get("queue") == "yes"
    row = {feature.name: _cell(feature, values[feature.name]) for feature in features}
    pinned = f"{version.name}:{version.version}"
    context: dict[str, Any] = {"values": values, "queue": queue}
    faults: dict[str | None, str] = {
        feature.name: say("decide.not_a_number")
        for feature in features
        if feature.type == "numeric" and isinstance(row[feature.name], str)
    }
    if faults:
        return _page(request, version, ready, status=422, faults=faults, **context)
    try:
        if queue:
            answered = await predict.decide(
                _body(pinned, [row]), request.scope["request_id"]
            )
            predict.note(answered.version, answered.tally)
        else:
            answered = await predict.rehearse(_body(pinned, [row]))
        without = [
            {**row, name: None} for name, cell in row.items() if cell is not None
        ]
        rest = await predict.rehearse(_body(pinned, [row, *without]))
    except InvalidRequestError as error:
        faults = {fault.column: fault.detail for fault in error.errors}
        wrong = None if faults.keys() & values.keys() else error_in_words(error)
        return _page(
            request, version, ready, status=422, faults=faults, wrong=wrong, **context
        )
    answers = msgspec.json.decode(answered.body)
    (answer,) = answers["predictions"]
    answer["between"] = _between(answer.get("band"), answers.get("bands"))
    names = [name for name, cell in row.items() if cell is not None]
    reasons = _reasons(msgspec.json.decode(rest.body)["predictions"], names)
    return _page(request, version, ready, answer=answer, reasons=reasons, **context)


def _body(model: str, rows: list[dict[str, Any]]) -> bytes:
    return msgspec.json.encode({"model": model, "instances": rows})


def _cell(feature: Feature, text: str) -> Any:
    """Return what was typed as /predict takes it; what it is not, /predict tells."""
    text = text.strip()
    if not text:
        return None
    if feature.type == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if feature.type == "numeric":
        try:
            return number_in(text, comma=True)
        except ValueError:
            return text
    return text


def _between(
    band: int | None, bands: Sequence[float] | None
) -> tuple[float, float] | None:
    """Return the probabilities that a band of confidence lies between."""
    if band is None or bands is None:
        return None
    edges = [0.0, *bands, 1.0]
    return edges[band], edges[band + 1]


def _reasons(
    answers: list[dict[str, Any]], names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return what each column does to the answer, what does most first."""
    whole, *rest = answers
    key = "score" if whole["probability"] is None else "probability"
    moved = [
        {"column": name, "from": each[key], "by": whole[key] - each[key]}
        for name, each in zip(names, rest, strict=True)
    ]
    moved.sort(key=lambda reason: -abs(reason["by"]))
    return [reason for reason in moved if reason["by"]][:_SHOWN]


@router.post("/decide/file", dependencies=PREDICTS)
async def decide_many(
    request: Request, model: Annotated[str, Query()], queue: str = "no"
) -> Response:
    """Send a file back with its decisions."""
    version, _ = await _found(request, model)
    query = BatchQuery(model=f"{version.name}:{version.version}")
    answer = await decide_file(request, query, queue=queue == "yes")
    ending = {"text/csv": "csv", "application/vnd.apache.parquet": "parquet"}
    kind = ending.get(answer.media_type or "", "arrow")
    name = f"{version.name}-decided.{kind}"
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
