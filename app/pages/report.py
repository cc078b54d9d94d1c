"""The report of a version: what it does, at its prices and at any others.

Moving a price changes nothing; "Save" makes a new version, and moves no alias unless
asked to.
"""

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Path, Request
from markupsafe import Markup
from pydantic import ValidationError
from starlette.datastructures import FormData
from starlette.responses import Response

from app.artifacts.row_prices import four_numbers, price_columns
from app.db.session import Reading
from app.errors import ConflictError, GateFailedError
from app.models import aliases, service
from app.models.overview import CHAMPION
from app.models.registry_schemas import GatesAsked, MoveAlias, TagVersion
from app.models.schemas import ModelQuery, VersionAnswer
from app.monitor.service import alarms_on
from app.pages import plots, prices
from app.pages.page import error_in_words, go, page_router, render, say
from app.pages.prices import PRICES, Tried
from app.pages.visitor import opens
from app.reprice import service as reprice
from app.reprice.schemas import CurvesAnswer, PreviewAnswer
from app.state import state_of
from app.strict import Whole

__all__ = ["router"]

router = page_router()

GATES = ("beats_constant", "no_worse", "no_alarm")
FEW_ROWS = 200
MOST_WORDS = 500

Version = Annotated[Whole, Path(ge=1, le=2**31 - 1)]


async def _form(request: Request) -> FormData:
    return await request.form()


@router.get("/models/{name}", dependencies=[Depends(opens("GET", "/models"))])
def show_model(request: Request, name: str, session: Reading) -> Response:
    """Lead to the version that answers: the champion, or else the newest."""
    model = service.describe_model(session, name, ModelQuery(limit=1))
    number = model.aliases.get(CHAMPION, model.latest_version)
    return go(request, f"/models/{name}/{number}")


@router.get("/models/{name}/{version}", dependencies=[Depends(opens("GET", "/models"))])
def show_version(request: Request, name: str, version: Version) -> Response:
    """Show a version at the prices of the address."""
    sent = request.query_params
    own = _version(request, name, version)
    tried = _tried(own, sent)
    if sent.get("fill") and tried.hourly:
        kept = {k: v for k, v in sent.items() if v and k not in {"fill", "why"}}
        filled = dict.fromkeys(PRICES[2:], f"{tried.hourly:g}")
        return go(request, f"/models/{name}/{version}?{urlencode(kept | filled)}")
    return _page(request, own, tried)


@router.post(
    "/models/{name}/{version}/save",
    dependencies=[Depends(opens("POST", "/models/x/versions/1/reprice"))],
)
def save_version(
    request: Request,
    name: str,
    version: Version,
    form: Annotated[FormData, Depends(_form)],
) -> Response:
    """Make the version that was tried; move the champion to it only if asked."""
    own, state = _version(request, name, version), state_of(request)
    tried = _tried(own, form)
    why = str(form.get("why", "")).replace("\x00", "").strip()[:MOST_WORDS]
    if not tried.changed:
        tried.wrong["prices"] = say("report.nothing_changed")
    if not why:
        tried.wrong["why"] = say("report.why_missing")
    with state.database.read() as session:
        newest = service.describe_model(session, name, ModelQuery(limit=1))
    if form.get("seen") != str(newest.latest_version):
        tried.wrong["seen"] = say("report.overtaken", version=newest.latest_version)
    if tried.wrong:
        return _page(request, own, tried, status=409, why=why)
    asked, _, _ = prices.try_on(state, name, version, tried)
    made, _ = reprice.reprice(state, name, version, asked)
    number = made.model.version
    with state.database.write() as session:
        service.tag(session, name, number, TagVersion(tags={"why": why}))
    query = {"saved": "1"}
    if form.get("champion"):
        gates = GatesAsked(**{gate: bool(form.get(gate)) for gate in GATES})
        if missed := _missed(request, name, number, gates):
            query["missed"] = " ".join(missed)
    return go(request, f"/models/{name}/{number}?{urlencode(query)}")


def _tried(own: VersionAnswer, sent: Mapping[str, object]) -> Tried:
    """Read the prices that are tried; where they follow columns, none are."""
    costs = own.model_dump().get("costs")
    return prices.read({} if price_columns(costs) else sent, four_numbers(costs))


def _missed(request: Request, name: str, version: int, gates: GatesAsked) -> list[str]:
    """Make a version the champion; return the gates that it does not pass."""
    state = state_of(request)
    asked = MoveAlias(version=version, gates=gates)
    try:
        with state.database.write() as session:
            aliases.move(session, state.store, name, CHAMPION, asked)
    except GateFailedError as error:
        pointers = " ".join(fault.pointer for fault in error.errors)
        return [gate for gate in GATES if gate in pointers]
    return []


def _version(request: Request, name: str, version: int) -> VersionAnswer:
    with state_of(request).database.read() as session:
        return service.describe_version(session, name, version)


def _page(
    request: Request,
    own: VersionAnswer,
    tried: Tried,
    *,
    status: int = 200,
    why: str = "",
) -> Response:
    """Return the report; where the prices allow no figures, it says why."""
    state, summary = state_of(request), own.model_dump()
    seen: PreviewAnswer | None = None
    curves: CurvesAnswer | None = None
    try:
        if tried.changed and not tried.faults:
            _, seen, curves = prices.try_on(state, own.name, own.version, tried)
        elif summary["evaluation"].get("rows"):
            curves = reprice.curves(state, own.name, own.version)
    except ConflictError as error:
        tried.wrong["prices"] = error_in_words(error)
    except ValidationError:
        tried.wrong["prices"] = say("report.not_a_price")
    shown = summary if seen is None else seen.model_dump()
    figures = summary["evaluation"] if seen is None else seen.evaluation.after
    with state.database.read() as session:
        model = service.describe_model(session, own.name, ModelQuery())
        on = [one for one in alarms_on(session) if one[0] == own.name]
    labels = {sign: str(summary["labels"][sign]) for sign in ("positive", "negative")}
    return render(
        request,
        "report.html",
        status=status,
        here="models",
        version=own,
        model=model,
        champion=model.aliases.get(CHAMPION),
        tried=tried,
        trained=four_numbers(summary.get("costs")),
        priced_by=price_columns(summary.get("costs")),
        labels=labels,
        figures=figures,
        before=None if seen is None else seen.evaluation.before,
        shown=shown,
        plots=_plots(curves, labels),
        influence=_influence(summary),
        alarms=on,
        few=FEW_ROWS,
        why=why,
        saved="saved" in request.query_params,
        missed=[
            g for g in request.query_params.get("missed", "").split() if g in GATES
        ],
        prices=PRICES,
        gates=GATES,
    )


def _influence(summary: dict[str, Any]) -> list[tuple[str, float]]:
    """Return the columns that the answer hangs on, the strongest first."""
    influence = summary.get("influence") or {}
    return sorted(influence.items(), key=lambda one: -one[1])[:20]


def _plots(curves: CurvesAnswer | None, labels: dict[str, str]) -> list[dict[str, Any]]:
    """Return each plot with its name and its numbers."""
    if curves is None:
        return []
    return [
        _scores(curves, labels),
        *([] if curves.cost_reject is None else [_cost(curves)]),
        _risk(curves),
        _calibration(curves, labels),
    ]


def _plot(key: str, drawn: Markup, heads: list[str], rows: list[Any]) -> dict[str, Any]:
    return {"name": say(f"plots.{key}"), "svg": drawn, "heads": heads, "rows": rows}


def _words(key: str, **values: Any) -> list[str]:
    parts = ("", "_told", "_x", "_y")
    return [say(f"plots.{key}{part}", **values) for part in parts]


def _scores(curves: CurvesAnswer, labels: dict[str, str]) -> dict[str, Any]:
    scores, words = curves.scores, _words("scores", **labels)
    words[2] = say(f"plots.on_{scores.on}", **labels)
    band = (scores.lower, scores.upper)
    if scores.on == "reject-function":  # at or below it a case goes to people
        band = (None, scores.lower)
    counts = (scores.positive, scores.negative)
    drawn = plots.bars("scores", words, scores.edges, counts, band)
    heads = [say("plots.scores_from"), labels["positive"], labels["negative"]]
    cells = zip(scores.edges, scores.positive, scores.negative, strict=False)
    rows = [(f"{edge:.3g}", f"{a:g}", f"{b:g}") for edge, a, b in cells if a + b]
    return _plot("scores", drawn, heads, rows)


def _cost(curves: CurvesAnswer) -> dict[str, Any]:
    assert curves.cost_reject is not None  # noqa: S101 - asked for where it is there
    curve = curves.cost_reject
    points = list(zip(curve.reject_rate, curve.cost, strict=True))
    now = curve.operating_point
    mark = (now.reject_rate, now.cost)
    words = _words("cost", share=f"{100 * mark[0]:.1f}", cost=f"{mark[1]:.3g}")
    return _plot(
        "cost", plots.line("cost", words, points, mark=mark), *_table(words, points)
    )


def _risk(curves: CurvesAnswer) -> dict[str, Any]:
    curve = curves.risk_coverage
    points = list(zip(curve.coverage, curve.risk, strict=True))
    now = curve.operating_point
    mark = None if now.risk is None else (now.coverage, now.risk)
    words = _words(
        "risk", share=f"{100 * now.coverage:.1f}", error=f"{100 * (now.risk or 0):.2f}"
    )
    return _plot(
        "risk", plots.line("risk", words, points, mark=mark), *_table(words, points)
    )


def _table(words: list[str], points: list[plots.Point]) -> tuple[list[str], list[Any]]:
    """Return every tenth point of a curve, and its last."""
    kept = [*points[:-1:10], *points[-1:]]
    return words[2:], [(f"{100 * x:.0f} %", f"{y:.3g}") for x, y in kept]


def _calibration(curves: CurvesAnswer, labels: dict[str, str]) -> dict[str, Any]:
    curve = curves.calibration
    points = list(zip(curve.probability, curve.share_positive, strict=True))
    words = _words("calibration", **labels)
    drawn = plots.line("calibration", words, points, diagonal=True, dots=True)
    cells = zip(curve.probability, curve.share_positive, curve.rows, strict=True)
    rows = [(f"{100 * p:.1f} %", f"{100 * s:.1f} %", f"{n:g}") for p, s, n in cells]
    heads = [*words[2:], say("plots.cases")]
    return _plot("calibration", drawn, heads, rows)
