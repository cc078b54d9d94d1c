"""The bars that a version has to pass before an alias is moved to it.

Each bar is held against the figures of held-out rows. A bar that cannot be held
against anything (nothing was held out, no costs, other rows) is not passed: the move
is refused and the reason said, never guessed. ``beats_constant`` is passed where the
evaluation shows it: the paired interval against each constant lies below zero.

``no_worse`` compares two versions at the prices of the new one, on the same rows: both
artifacts keep which rows were held out and their labels, and these have to be equal.
The expected cost of each follows from its confusion table,

    sum over true label and decision of  share(label, decision) cost(label, decision).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.artifacts.row_prices import four_numbers
from app.errors import FieldError, GateFailedError

__all__ = ["Candidate", "Gates", "check", "expected_cost"]

_TIE = 1e-12
"""Costs that differ by rounding only are equal."""

_FIGURES = {
    "max_expected_cost": ("expected_cost", "expected cost"),
    "max_reject_rate": ("reject_rate", "reject rate"),
    "max_selective_error": ("selective_error", "error among the decided rows"),
}


@dataclass(frozen=True, slots=True)
class Gates:
    """The bars of one move; None and False are no bar."""

    max_expected_cost: float | None = None
    max_reject_rate: float | None = None
    max_selective_error: float | None = None
    beats_constant: bool = False
    no_worse: bool = False
    no_alarm: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """What is known of a version: its figures, prices and held-out rows.

    Parameters
    ----------
    version : int
    evaluation : mapping
        Of its summary.
    costs : mapping or None
    holdout : mapping or None
        Rows, labels and weights as its artifact keeps them; only ``no_worse`` asks.
    """

    version: int
    evaluation: Mapping[str, Any]
    costs: Mapping[str, Any] | None
    holdout: Mapping[str, Any] | None = None


def check(
    gates: Gates,
    new: Candidate,
    present: Candidate | None,
    alarms: Sequence[str] = (),
) -> list[str]:
    """Return what was found of each bar.

    ``alarms`` are those of the model that nobody has acknowledged.

    Raises
    ------
    GateFailedError
        When a bar is missed; it names each with both figures.
    """
    passed: list[str] = []
    failed: list[FieldError] = []
    for name, (figure, words) in _FIGURES.items():
        bar = getattr(gates, name)
        if bar is None:
            continue
        value = new.evaluation.get(figure)
        if value is None:
            sentence = (
                f"{name}: the {words} is not known of this version, the bar is {bar}"
            )
            failed.append(FieldError(f"/gates/{name}", sentence))
            continue
        sentence = f"{name}: the {words} is {value:.6g}, the bar is {bar:.6g}"
        _sort(name, sentence, value <= bar, passed, failed)
    if gates.beats_constant:
        _sort("beats_constant", *_constant(new.evaluation), passed, failed)
    if gates.no_worse:
        _sort("no_worse", *_no_worse(new, present), passed, failed)
    if gates.no_alarm:
        sentence = f"no_alarm: alarms are on: {', '.join(alarms)}"
        _sort(
            "no_alarm",
            sentence if alarms else "no_alarm: none is on",
            not alarms,
            passed,
            failed,
        )
    if failed:
        raise GateFailedError("; ".join(fault.detail for fault in failed), failed)
    return passed


def _sort(
    name: str, sentence: str, good: bool, passed: list[str], failed: list[FieldError]
) -> None:
    if good:
        passed.append(sentence)
    else:
        failed.append(FieldError(f"/gates/{name}", sentence))


def _constant(evaluation: Mapping[str, Any]) -> tuple[str, bool]:
    against, cost = evaluation.get("against_constants"), evaluation.get("expected_cost")
    if not against or cost is None:
        return "beats_constant: no costs of held-out rows are known", False
    hardest = max(against, key=lambda name: against[name]["interval"][1])
    measured = against[hardest]
    low, high = measured["interval"]
    sentence = (
        f"beats_constant: {measured['shown']}: the expected cost is {cost:.6g}, always"
        f" answering {hardest} costs {cost - measured['difference']:.6g},"
        f" the difference lies in {low:.4g} to {high:.4g}"
    )
    return sentence, measured["shown"] == "better"


def _no_worse(new: Candidate, present: Candidate | None) -> tuple[str, bool]:
    if present is None:
        return "no_worse: the alias points at nothing yet", True
    if present.version == new.version:
        return "no_worse: the alias points at this version already", True
    opening = f"no_worse: cannot be compared with version {present.version}: "
    by_row = new.costs is not None and four_numbers(new.costs) is None
    if by_row and present.costs != new.costs:
        why = "prices of this version follow columns of the rows, the other has others"
        return opening + why, False
    if new.costs is None:
        return opening + "this version has no costs", False
    if not _same_rows(new, present):
        return opening + "the two were not evaluated on the same held-out rows", False
    if by_row:  # each is counted at the same rows' own prices
        figures = [one.evaluation.get("expected_cost") for one in (new, present)]
    else:
        figures = [expected_cost(one.evaluation, new.costs) for one in (new, present)]
    mine, other = figures
    if mine is None or other is None:
        return opening + "a confusion table is missing", False
    sentence = (
        f"no_worse: the expected cost is {mine:.6g}, that of version"
        f" {present.version} on the same rows at the same prices {other:.6g}"
    )
    return sentence, mine <= other + _TIE * abs(other)


def _same_rows(new: Candidate, present: Candidate) -> bool:
    """Tell whether both held out the same rows, with the same labels and weights."""
    ours, theirs = new.holdout, present.holdout
    if ours is None or theirs is None:
        return False
    shares = [one.evaluation.get("share_positive") for one in (new, present)]
    return shares[0] == shares[1] and all(
        np.array_equal(ours[name], theirs[name])
        for name in ("rows", "positive", "weight")
    )


def expected_cost(
    evaluation: Mapping[str, Any], costs: Mapping[str, float]
) -> float | None:
    """Return the mean cost of a confusion table at given prices."""
    table = evaluation.get("confusion")
    if not table:
        return None
    price = {
        ("+1", "-1"): costs["false_negative"],
        ("-1", "+1"): costs["false_positive"],
        ("+1", "reject"): costs["reject_positive"],
        ("-1", "reject"): costs["reject_negative"],
    }
    cells = [
        (count, price.get((label, called), 0.0))
        for label, row in table.items()
        for called, count in row.items()
    ]
    total = sum(count for count, _ in cells)
    return sum(count * cost for count, cost in cells) / total if total else None
