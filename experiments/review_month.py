"""A month of reviews, played on real data through the real service.

    python -m experiments.review_month --data FOLDER

A model is trained on labelled rows (the set cod_rna) and decides new ones day by day.
People whose errors are known work the queue over HTTP: claims, verdicts, second
opinions; accepted rows are audited; some truth comes late. In the middle of the month
+1 of a kind come that training had not. The monitor raises an alarm, the prices of a
reject are proposed from what people get right, and the next version is trained on
verdicts and audits alone. What a case truly costs, people's errors and time included,
is told on rows of the new world: with nothing done, with new prices only, with the next
version, and with a version that was told all true labels of the month.
"""

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from experiments.loading import load
from experiments.review_office import (
    S_MINUS,
    S_PLUS,
    Flags,
    Floats,
    Office,
    opened,
)

__all__ = ["Month", "World", "main", "play", "world"]

AUDITED = 0.08
"""Share of the accepted rows, of either decision, that people see."""
MAX_ERROR = {"+1": 0.3, "-1": 0.06}
"""Limits of the audited error, by what the machine had decided."""
ERRORS = {"false_positive": 1.0, "false_negative": 5.0}
TIME_PLUS, TIME_MINUS = 0.2, 0.12
"""What a person's time costs on a +1 and on a -1: five and three minutes at .04."""
TRUE_COSTS = {
    **ERRORS,
    "reject_positive": TIME_PLUS + (1 - S_PLUS) * ERRORS["false_negative"],
    "reject_negative": TIME_MINUS + (1 - S_MINUS) * ERRORS["false_positive"],
}
TIME_ONLY = {**ERRORS, "reject_positive": TIME_PLUS, "reject_negative": TIME_MINUS}
"""Prices as they are set when people are believed to be always right."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long the month is."""

    days: int = 30
    per_day: int = 300
    training: int = 4000
    judged: int = 10_000


@dataclass(slots=True)
class Month:
    """What came of it: mean true cost of a case, and how many people see."""

    costs: dict[str, float] = field(default_factory=dict)
    to_people: dict[str, float] = field(default_factory=dict)
    changed_on: int = 0
    alarms: list[tuple[int, str]] = field(default_factory=list)
    """Day and kind."""
    cases: int = 0
    verdicts: int = 0
    prices: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Rows in the order in which they come."""

    columns: list[str]
    training: tuple[Floats, Flags]
    days: list[tuple[Floats, Flags]]
    later: tuple[Floats, Flags]


def world(folder: Path, length: Length, seed: int) -> World:
    """Return rows of cod_rna: half of the +1, by one column, come only later."""
    X, y = load(folder, "cod_rna")
    positive = y > 0
    draw = np.random.default_rng(seed)
    # Long sequences: a kind of +1 that nobody had seen in the first half.
    new = positive & (X[:, 1] > np.median(X[positive, 1]))
    old = draw.permutation(np.flatnonzero(~new))
    cut = length.training + length.per_day * (length.days // 2)
    before, after = old[:cut], np.concatenate((old[cut:], np.flatnonzero(new)))
    order = np.concatenate((before, draw.permutation(after)))
    parts = np.split(
        order[
            : cut + length.per_day * (length.days - length.days // 2) + length.judged
        ],
        np.cumsum([length.training, *([length.per_day] * length.days)]),
    )
    taken = [(X[rows], positive[rows]) for rows in parts]
    names = [f"x{j}" for j in range(X.shape[1])]
    return World(names, taken[0], taken[1:-1], taken[-1])


def play(
    rows: World, console: Console, seed: int = 0, audited: float = AUDITED
) -> Month:
    """Play days whose world changes in the middle; return what came of it."""
    month = Month(changed_on=len(rows.days) // 2)
    with opened(seed) as (office, past):
        office.train(
            console, "month", costs=TIME_ONLY, **_labelled(rows.columns, *rows.training)
        )
        office.ask(
            "PUT",
            "/models/month/review",
            json={
                "audit": {"+1": audited, "-1": audited},
                "minute_price": 0.0,
                "undo_seconds": 0,
            },
        )
        limits = {"max_error": MAX_ERROR}
        office.ask("PUT", "/models/month/monitor", json={"limits": limits})
        for day, (X, truth) in enumerate(rows.days):
            office.decide(rows.columns, day, X, truth)
            waiting = office.references()
            month.verdicts += office.work(waiting)
            month.cases += len(waiting)
            past.end_of(day, len(X))
            on = office.alarms()
            seen = {kind for _, kind in month.alarms}
            month.alarms += [(day + 1, kind) for kind in on if kind not in seen]
        _learn(office, rows, month, console)
    return month


def _learn(office: Office, rows: World, month: Month, console: Console) -> None:
    """Price a reject, train again, and hold all of it against the new world."""
    month.prices = office.ask(
        "POST",
        "/models/month/review/prices",
        json={
            "minute_price": 0.0,
            "delay_positive": TIME_PLUS,
            "delay_negative": TIME_MINUS,
            "version": 1,
        },
    )
    # Where asking people would not pay, as few verdicts may say, prices stay.
    costs = month.prices["costs"] if month.prices["pays"] else TIME_ONLY
    office.ask(
        "POST",
        "/models/month/versions/1/reprice",
        json={"costs": costs, "rule": {"kind": "chow"}},
    )
    month.rows = office.ask("POST", "/models/month/review/dataset")
    office.train(console, "month", costs=costs, **month.rows["train"])
    office.ask("PUT", "/models/month/review", json={"enabled": False})
    X, truth = (np.concatenate(part) for part in zip(*rows.days, strict=True))
    office.train(console, "oracle", costs=costs, **_labelled(rows.columns, X, truth))
    asked = {
        "nothing done": "month:1",
        "new prices": "month:2",
        "next version": "month:3",
        "all labels known": "oracle:1",
    }
    for name, model in asked.items():
        month.costs[name], month.to_people[name] = _true_cost(office, model, rows)


def _true_cost(office: Office, model: str, rows: World) -> tuple[float, float]:
    X, truth = rows.later
    data = {"columns": rows.columns, "rows": X.tolist()}
    answer = office.ask("POST", "/predict", json={"model": model, "data": data})
    called = np.array([one["decision"] for one in answer["predictions"]])
    spent = np.where(
        called == "reject",
        np.where(truth, TRUE_COSTS["reject_positive"], TRUE_COSTS["reject_negative"]),
        np.where(
            called == "+1",
            np.where(truth, 0.0, ERRORS["false_positive"]),
            np.where(truth, ERRORS["false_negative"], 0.0),
        ),
    )
    return float(spent.mean()), float((called == "reject").mean())


def _labelled(columns: list[str], X: Floats, truth: Flags) -> dict[str, Any]:
    """Return the members of a training on labelled rows."""
    rows = [
        [*row, Office.label(positive)]
        for row, positive in zip(X.tolist(), truth.tolist(), strict=True)
    ]
    return {
        "data": {"kind": "inline", "columns": [*columns, "label"], "rows": rows},
        "target": {"column": "label", "positive": Office.label(positive=True)},
    }


def shown(month: Month) -> Table:
    """Return what came of a month, as a table."""
    table = Table(title="What a case truly costs, people's errors and time included")
    for name in ("", "cost a case", "to people"):
        table.add_column(name, justify="left" if not name else "right")
    for name, cost in month.costs.items():
        table.add_row(name, f"{cost:.4f}", f"{month.to_people[name]:.1%}")
    return table


def main() -> int:
    """Play a month and print it; exit status 1 where the loop did not pay."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the sets")
    parser.add_argument("--days", type=int, default=Length().days)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    console = Console(width=100)
    rows = world(options.data, Length(days=options.days), options.seed)
    month = play(rows, console, options.seed)
    console.print(shown(month))
    people = month.prices["people"]
    console.print(
        f"{month.cases} cases, {month.verdicts} verdicts. The world changed after day"
        f" {month.changed_on}; alarms (day, kind): {month.alarms}. People are right on"
        f" {people['sensitivity']:.3f} of the true +1 (in truth {S_PLUS}) and"
        f" {people['specificity']:.3f} of the true -1 ({S_MINUS}). Rows that taught the"
        f" next version: {month.rows['rows']}, worth"
        f" {month.rows['effective_rows']:.0f}."
    )
    paid = month.costs["next version"] < month.costs["nothing done"]
    noticed = any(day > month.changed_on for day, _ in month.alarms)
    return 0 if paid and noticed else 1


if __name__ == "__main__":
    sys.exit(main())
