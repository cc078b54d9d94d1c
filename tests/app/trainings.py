"""Requests of trainings that take a moment."""

from collections.abc import Sequence
from typing import Any

__all__ = ["PRICES", "Body", "changed", "inline", "rows", "training"]

Body = dict[str, Any]

PRICES = {
    "false_positive": 1,
    "false_negative": 5,
    "reject_positive": 0.6,
    "reject_negative": 0.3,
}


def rows(n: int = 60) -> list[list[Any]]:
    """Numbers with a label each: every third is "no"."""
    return [[float(k), "yes" if k % 3 else "no"] for k in range(n)]


def inline(table: Sequence[Sequence[Any]], columns: Sequence[str] = ("x", "y")) -> Body:
    """Return rows as the ``data`` of a request."""
    return {"kind": "inline", "columns": list(columns), "rows": list(table)}


def changed(body: Body, **changes: Any) -> Body:
    """Return a request with members replaced (``None``: left out)."""
    return {k: v for k, v in {**body, **changes}.items() if v is not None}


def training(**changes: Any) -> Body:
    """Return a request on ``rows``, with members replaced."""
    body = {
        "model": "m",
        "trainer": {"kind": "svm"},
        "rule": {"kind": "chow", "reject_threshold": 0.2},
        "data": inline(rows()),
        "target": {"column": "y", "positive": "yes"},
    }
    return changed(body, **changes)
