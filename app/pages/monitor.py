"""The monitor of a model: alarms in sentences, what was answered, queue and people."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Form, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from app.db.session import Reading, Transaction
from app.errors import ConflictError, FieldError, InvalidRequestError
from app.keys import people
from app.models.schemas import ModelQuery
from app.models.service import describe_model
from app.monitor import service
from app.monitor.schemas import (
    Acknowledgement,
    MonitorAnswer,
    MonitorQuery,
    MonitorRequest,
    WatchedVersion,
)
from app.pages import plots
from app.pages.page import error_in_words, go, page_router, render, say
from app.pages.visitor import opens
from app.reviews import report
from app.reviews.measured import PriceRequest, PricesAnswer
from app.reviews.proposal import proposed
from app.strict import Whole, number_in

__all__ = ["router"]

router = page_router()

MOST_WORDS = 2000
_DAYS = MonitorQuery().days

_lead = Depends(opens("PUT", "/models/x/monitor"))


@router.get("/models/{name}/monitor", dependencies=[_lead])
def show_monitor(
    request: Request,
    name: str,
    session: Reading,
    days: Annotated[Whole, Query(ge=1, le=400)] = _DAYS,
    minute_price: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """Show what a model has answered, its alarms, its queue and its people."""
    monitor = service.tell(session, name, days)
    model = describe_model(session, name, ModelQuery(limit=1))
    prices, why_not = _proposal(session, name, minute_price)
    measured = report.report(session, name)
    names = {one.id: one.name for one in people.list_people(session).people}
    labels = model.latest.model_dump()["labels"]
    return render(
        request,
        "monitor.html",
        here="models",
        name=name,
        monitor=monitor,
        quiet_days=_quiet_days(monitor),
        strips=[(one, _strips(one, monitor.alarm_at)) for one in monitor.versions],
        labels={sign: str(labels[sign]) for sign in ("positive", "negative")},
        measured=measured,
        names=names,
        prices=prices,
        why_not=why_not,
        minute_price=minute_price,
        tried=None if prices is None else _tried(prices, monitor),
        days=days,
        words=MOST_WORDS,
    )


@router.post("/models/{name}/monitor/watch", dependencies=[_lead])
def watch(request: Request, name: str, session: Transaction) -> Response:
    """Watch a model by the limits that its evaluation gives."""
    with suppress(ConflictError):  # somebody else has begun to watch it
        service.put(session, name, MonitorRequest(revision=0))
    return go(request, f"/models/{name}/monitor")


@router.post("/models/{name}/monitor/acknowledge", dependencies=[_lead])
def acknowledge(
    request: Request,
    name: str,
    session: Transaction,
    alarm: Annotated[str, Form(max_length=36)],
    note: Annotated[str, Form(max_length=MOST_WORDS)] = "",
) -> Response:
    """Keep that somebody has seen an alarm, and what was found."""
    words = note.replace("\x00", "").strip()
    if not words:
        detail = say("monitor.note_missing")
        raise InvalidRequestError(detail, [FieldError("/note", detail)])
    person = request.scope.get("person") or people.take_in(session, people.OPERATOR)
    asked = Acknowledgement(alarm=alarm, note=words)
    service.acknowledge(session, name, asked, person)
    return go(request, f"/models/{name}/monitor")


def _proposal(
    session: Reading, name: str, minute_price: str
) -> tuple[PricesAnswer | None, str]:
    """Return the prices that follow from what people did, or why there are none."""
    asked = PriceRequest()
    if minute_price.strip():
        try:
            a_minute = number_in(minute_price, comma=True)
            asked = PriceRequest(minute_price=a_minute)
        except ValueError:
            return None, say("report.not_a_price")
    try:
        return proposed(session, name, asked), ""
    except ConflictError as error:
        unsaid = "minute_price" in error.detail
        return None, say("monitor.say_price") if unsaid else error_in_words(error)


def _tried(prices: PricesAnswer, monitor: MonitorAnswer) -> str:
    """Return the address of the report with these prices on its sliders."""
    asked = {name: f"{value:.4g}" for name, value in prices.costs.items()}
    a_day = _cases_a_day(monitor)
    if a_day:
        asked["cases_a_day"] = str(a_day)
    return f"/models/{prices.model}/{prices.version}?{urlencode(asked)}"


def _cases_a_day(monitor: MonitorAnswer) -> int:
    cycles = [cycle for one in monitor.versions for cycle in one.cycles]
    days = {cycle.start.date() for cycle in cycles}
    return round(sum(cycle.rows for cycle in cycles) / len(days)) if days else 0


def _quiet_days(monitor: MonitorAnswer) -> int | None:
    """Return the days since the last alarm, or since anything is watched."""
    known = [monitor.watched_until, *(alarm.raised_at for alarm in monitor.alarms)]
    starts = [at.start for one in monitor.versions for at in one.history]
    known += starts[:1] if not monitor.alarms else []
    past = [at for at in known if at is not None]
    if not monitor.enabled or not past:
        return None
    since = max(a.raised_at for a in monitor.alarms) if monitor.alarms else min(past)
    return max((datetime.now(UTC) - since).days, 0)


def _strips(version: WatchedVersion, alarm_at: float) -> list[dict[str, Any]]:
    """Return what a version did over time, each with its numbers."""
    starts = [cycle.start for cycle in version.cycles]
    shares = [
        sum(cycle.rejects.values()) / cycle.rows if cycle.rows else None
        for cycle in version.cycles
    ]
    costs = [cycle.expected_cost for cycle in version.cycles]
    proofs = [_strongest(one.log_evidence.values()) for one in version.history]
    own = (
        ("people", starts, shares, version.limits.get("reject_rate")),
        ("cost", starts, costs, version.limits.get("expected_cost")),
        ("evidence", [one.start for one in version.history], proofs, alarm_at),
    )
    return [
        _strip(key, version.version, at, values, limit)
        for key, at, values, limit in own
        if any(value is not None for value in values)
    ]


def _strongest(logs: Any) -> float | None:
    """Return the largest of the evidence that there is."""
    return max((one for one in logs if one is not None), default=None)


def _strip(
    key: str,
    version: int,
    at: Sequence[datetime],
    values: Sequence[float | None],
    limit: float | None,
) -> dict[str, Any]:
    words = [
        say(f"strips.{key}"),
        say("strips.told", cycles=len(values)),
        say("strips.x"),
        say(f"strips.{key}_y"),
    ]
    ends = (f"{at[0]:%Y-%m-%d}", f"{at[-1]:%Y-%m-%d}")
    drawn: Markup = plots.strip(f"{key}-{version}", words, values, ends, limit)
    return {
        "key": key,
        "svg": drawn,
        "limit": limit,
        "rows": list(zip(at, values, strict=True)),
    }
