"""Recompute what the prediction log says was decided, without the service.

This module imports the standard library alone, and may be run by itself, on any
machine: ``python audit.py FOLDER``. From score (or probability, or the pair of a joint
booster), thresholds and costs of every logged row it computes anew

    the decision      +1 above the upper threshold, -1 below the lower one, else reject;
                      or the one that is always taken, where there are no thresholds;
                      the pair (h, r): the sign of h where r > 0, else reject;
                      a row that a guard took is rejected;
                      where each row has prices of its own, the cheapest decision at
                      them: a reject, if that costs least, else +1 if it costs no more
                      than -1
    expected costs    of +1: (1 - p) false_positive;  of -1: p false_negative;
                      of rejecting: p reject_positive + (1 - p) reject_negative

and reports whatever is not what was logged, to the last bit.
"""

import json
import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Difference", "Report", "audit", "main"]

GUARDS = frozenset({"missing_value", "unseen_category", "outlier", "missing_price"})
SHOWN = 20
PRICES = ("false_positive", "false_negative", "reject_positive", "reject_negative")
CALLED = ("+1", "-1", "reject")
Costs = tuple[float, float, float]
"""Expected ones, of each that may be called."""


@dataclass(frozen=True)
class Difference:
    """A row, or a line, that does not say what it should."""

    file: str
    line: int
    request_id: str
    row: int | None
    what: str

    def __str__(self) -> str:
        """Tell where it is and what differs."""
        row = "" if self.row is None else f", row {self.row}"
        return f"{self.file}:{self.line}: request {self.request_id}{row}: {self.what}"


@dataclass
class Report:
    """What an audit found."""

    files: int = 0
    decisions: int = 0
    cut: int = 0
    """Lines that end in the middle: a process was killed while it wrote them."""
    differing: int = 0
    first: list[Difference] = field(default_factory=list)
    """The first of the differences."""

    def note(self, difference: Difference) -> None:
        """Count a difference."""
        self.differing += 1
        if len(self.first) < SHOWN:
            self.first.append(difference)

    def words(self) -> Iterator[str]:
        """Yield the lines of the report."""
        yield from map(str, self.first)
        if self.differing > len(self.first):
            yield f"... and {self.differing - len(self.first)} more"
        if self.cut:
            yield f"{self.cut} lines end in the middle and are not counted"
        outcome = f"{self.differing} differ" if self.differing else "all agree"
        yield f"{self.decisions} decisions in {self.files} files: {outcome}"


def audit(paths: Iterable[Path]) -> Report:
    """Recompute every decision of these files."""
    report = Report()
    for path in paths:
        report.files += 1
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.endswith(b"\n"):
                    _audit_line(report, path.name, number, line)
                else:
                    report.cut += 1
    return report


def _audit_line(report: Report, file: str, number: int, line: bytes) -> None:
    request_id = "?"
    try:
        record = json.loads(line)
        request_id = str(record["request_id"])
        for row, faults in _rows(record):
            report.decisions += 1
            for what in faults:
                report.note(Difference(file, number, request_id, row, what))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"the line cannot be read ({type(error).__name__})"
        report.note(Difference(file, number, request_id, None, what))


def _rows(record: dict[str, Any]) -> Iterator[tuple[int, list[str]]]:
    """Yield each row's index in the request, and what differs there."""
    n = len(record["scores"])
    columns = [
        _column(record, name, n)
        for name in (
            "scores",
            "probabilities",
            "reject_scores",
            "decisions",
            "reasons",
            "expected_cost",
        )
    ]
    expected = record["expected_costs"]
    priced = [_listed(expected and expected[name], n) for name in CALLED]
    costs = _prices(record["costs"], n)
    rows = zip(*columns, zip(*priced, strict=True), costs, strict=True)
    for row, (score, p, r, decision, reason, cost, all_costs, own) in enumerate(
        rows, int(record["first_row"])
    ):
        at = None if reason == "missing_price" else _expected(own, p)
        faults = _decided(record["rule"], (score, p, r), at, decision, reason)
        faults += _costs(at, decision, cost, all_costs)
        yield row, faults


def _prices(costs: dict[str, Any] | None, n: int) -> list[list[float] | None]:
    """Return the prices of each row: one list for all, or columns of one a row."""
    if costs is None:
        return [None] * n
    columns = [
        [float(one) for one in _listed(costs[name], n)]
        if isinstance(costs[name], list)
        else [float(costs[name])] * n
        for name in PRICES
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def _expected(costs: list[float] | None, p: float | None) -> Costs | None:
    if costs is None or p is None:
        return None
    false_positive, false_negative, reject_positive, reject_negative = costs
    q = 1.0 - p
    return (
        q * false_positive,
        p * false_negative,
        p * reject_positive + q * reject_negative,
    )


def _column(record: dict[str, Any], name: str, n: int) -> list[Any]:
    return _listed(record[name], n)


def _listed(values: list[Any] | None, n: int) -> list[Any]:
    if values is None:
        return [None] * n
    if len(values) != n:
        msg = "columns of a line have one length"
        raise ValueError(msg)
    return values


def _decided(
    rule: dict[str, Any],
    values: tuple[float, float | None, float | None],
    costs: Costs | None,
    decision: str,
    reason: str | None,
) -> list[str]:
    if reason in GUARDS:
        right = "reject"
    elif rule["on"] == "prices":
        right = _cheapest(costs)
    else:
        right = _by_rule(rule, *values)
    faults = []
    if decision != right:
        faults.append(f"decision is {decision!r}, recomputed {right!r}")
    if (reason is not None) != (decision == "reject"):
        faults.append(f"reason {reason!r} does not go with {decision!r}")
    elif reason is not None and reason != "ambiguous" and reason not in GUARDS:
        faults.append("the reason is unknown")
    return faults


def _cheapest(costs: Costs | None) -> str:
    if costs is None:
        msg = "a row that is decided at its own prices has them"
        raise ValueError(msg)
    plus, minus, reject = costs
    if min(plus, minus) >= reject:
        return "reject"
    return "+1" if plus <= minus else "-1"


def _by_rule(
    rule: dict[str, Any], score: float, p: float | None, r: float | None
) -> str:
    if rule["on"] == "reject-function":
        if r is None or not r > 0.0:
            return "reject"
        return "+1" if score > 0.0 else "-1"
    value = p if rule["on"] == "probability" else score
    if value is None:
        msg = "a rule on the probability needs one"
        raise ValueError(msg)
    if rule.get("always") is not None:
        return str(rule["always"])
    lower = -math.inf if rule["lower"] is None else rule["lower"]
    upper = math.inf if rule["upper"] is None else rule["upper"]
    if value < lower:
        return "-1"
    above = value >= upper if rule["closed"] else value > upper
    return "+1" if above else "reject"


def _costs(
    costs: Costs | None,
    decision: str,
    cost: float | None,
    logged: tuple[float | None, ...],
) -> list[str]:
    right: tuple[float | None, ...] = costs or (None, None, None)
    faults = [
        f"the expected cost of {name} is {mine!r}, recomputed {other!r}"
        for name, mine, other in zip(CALLED, logged, right, strict=True)
        if mine != other
    ]
    taken = dict(zip(CALLED, right, strict=True)).get(decision)
    if cost != taken:
        faults.append(f"expected_cost is {cost!r}, recomputed {taken!r}")
    return faults


def main(arguments: list[str]) -> int:
    """Audit folders and files; return 1 when anything differs."""
    paths: list[Path] = []
    for argument in map(Path, arguments):
        paths += sorted(argument.glob("*.jsonl")) if argument.is_dir() else [argument]
    report = audit(paths)
    print("\n".join(report.words()))  # noqa: T201 - it speaks to its user
    return 1 if report.differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
