"""The prices that somebody tries on a report: read from the address, checked, asked.

A price list has a band of rejects where

    false_positive reject_positive + false_negative reject_negative
        < false_positive false_negative;

otherwise asking a person never pays, and there is nothing to try.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan

from app.artifacts.row_prices import LEAST, MOST
from app.errors import ConflictError
from app.pages.page import say
from app.reprice import service
from app.reprice.schemas import CurvesAnswer, PreviewAnswer, RepriceRequest
from app.state import AppState
from app.strict import number_in
from app.train.schemas import Costs

__all__ = ["PRICES", "Tried", "read", "try_on"]

PRICES = ("false_positive", "false_negative", "reject_positive", "reject_negative")
_USUAL = {"cases_a_day": 1000.0}


@dataclass(frozen=True, slots=True)
class Tried:
    """What was typed: numbers that are right, and what is wrong with the others."""

    prices: dict[str, float]
    cases_a_day: float
    most_a_day: float | None
    minutes: float | None
    wage: float | None
    changed: bool
    """Whether it asks for anything but what the version does."""
    wrong: dict[str, str] = field(default_factory=dict)
    """By field, in words."""

    @property
    def faults(self) -> bool:
        """Tell whether there are no figures for it."""
        return bool(self.wrong.keys() - {"seen", "why"})

    @property
    def request(self) -> RepriceRequest:
        """Return the re-pricing that it stands for."""
        limit = None
        if self.most_a_day is not None:
            limit = min(1.0, self.most_a_day / self.cases_a_day)
        return RepriceRequest(costs=Costs(**self.prices), max_reject_rate=limit)

    @property
    def hourly(self) -> float | None:
        """Return what a case costs by minutes and wage."""
        if self.minutes is None or self.wage is None:
            return None
        return float(f"{self.minutes * self.wage / 60:.4g}")


def read(sent: Mapping[str, object], own: Mapping[str, float] | None) -> Tried:
    """Read the fields of a form.

    Parameters
    ----------
    sent : mapping of str
    own : mapping or None
        The prices of the version; None where it has none.
    """
    wrong: dict[str, str] = {}

    def number(
        name: str, otherwise: float | None, least: float = LEAST
    ) -> float | None:
        text = str(sent.get(name, "")).strip()
        if not text:
            return otherwise
        try:
            value = number_in(text, comma=True)
        except ValueError:
            value = nan
        if not least <= value <= MOST:
            wrong[name] = say("report.not_a_price")
            return otherwise
        return value

    usual = own or dict(zip(PRICES, (1.0, 1.0, 0.25, 0.25), strict=True))
    prices = {name: number(name, usual[name]) or usual[name] for name in PRICES}
    most = number("most_a_day", None, 0.0)
    if not wrong and (fault := _never_pays(prices)):
        wrong["prices"] = fault
    is_priced = any(str(sent.get(name, "")).strip() for name in PRICES)
    return Tried(
        prices=prices,
        cases_a_day=number("cases_a_day", None) or _USUAL["cases_a_day"],
        most_a_day=most,
        minutes=number("minutes", None, 0.0),
        wage=number("wage", None, 0.0),
        changed=most is not None or (prices != own if own else is_priced),
        wrong=wrong,
    )


def _never_pays(prices: Mapping[str, float]) -> str | None:
    false_positive, false_negative, positive, negative = (prices[p] for p in PRICES)
    asked = false_positive * positive + false_negative * negative
    wrong = false_positive * false_negative
    if asked < wrong:
        return None
    return say("report.never_pays", asked=f"{asked:.4g}", wrong=f"{wrong:.4g}")


def try_on(
    state: AppState, name: str, version: int, tried: Tried
) -> tuple[RepriceRequest, PreviewAnswer, CurvesAnswer | None]:
    """Return what a version would be at these prices, and the request that makes it.

    Where the version's own rule holds at its own prices only, thresholds on the
    probability stand in for it (Chow's rule).

    Raises
    ------
    ConflictError, InvalidRequestError
        When the version keeps no scores for it.
    """
    request = tried.request
    try:
        return request, *service.preview_with_curves(state, name, version, request)
    except ConflictError:
        if request.max_reject_rate is not None:
            raise
    sent = {**request.model_dump(exclude_none=True), "rule": {"kind": "chow"}}
    request = RepriceRequest.model_validate(sent)
    return request, *service.preview_with_curves(state, name, version, request)
