"""The tables of the reductions: pendigits with two kernels, ijcnn1."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.report import Line, Table, mean_and_error

__all__ = ["ijcnn_table", "pendigits_tables"]

Results = Sequence[dict[str, Any]]

# Accuracy % and support vectors, as printed.
TABLE_1: dict[str, tuple[float, int]] = {
    "unreduced": (98.1, 214),
    "sca flip": (98.1, 214),
    "sca remove": (98.1, 214),
    "ssca D = 0": (97.0, 160),
    "ssca D = 0.3": (97.0, 160),
    "ssca D = 0.9": (97.0, 160),
    "ssca D = 1.3": (98.3, 143),
    "m1rs w = 0.44": (98.8, 210),
    "m1rs w = 0.24": (98.8, 210),
    "m1rs w = 0.04": (98.8, 210),
    "m2rs w = 0.44": (98.8, 174),
    "m2rs w = 0.24": (98.8, 159),
    "m2rs w = 0.04": (99.0, 147),
}
TABLE_2: dict[str, tuple[float, float]] = {
    "unreduced": (95.2, 673.2),
    "sca flip": (95.2, 683.4),
    "sca remove": (94.8, 670.6),
    "ssca D = 0": (95.1, 296.4),
    "ssca D = 0.3": (95.1, 296.4),
    "ssca D = 0.9": (94.9, 296.2),
    "ssca D = 1.3": (94.9, 255.2),
    "m1rs w = 0.44": (94.3, 381.2),
    "m1rs w = 0.24": (94.3, 377.8),
    "m1rs w = 0.04": (94.3, 362.0),
    "m2rs w = 0.44": (96.2, 236.0),
    "m2rs w = 0.24": (96.9, 215.6),
    "m2rs w = 0.04": (95.6, 136.2),
}
# What another solver finds with the same settings: accuracy and support vectors.
EXPECTED: dict[str, dict[str, Any]] = {
    "published": {
        "unreduced": (0.98142, 214),
        "ssca D = 1.3": (0.98914, 172),
        "m2rs w = 0.44": (0.98856, 174),
        "m2rs w = 0.24": (0.98914, 162),
        "m2rs w = 0.04": (0.99028, 147),
    },
    "better": {
        "unreduced": (0.9920, 357),
        "sca remove": (0.9860, 174),
        "sca flip": (0.9900, 158),
        "ssca D = 0.3": (None, 181),
        "ssca D = 0.9": (None, 181),
        "ssca D = 1.3": (0.9929, 141),
    },
}
_NEAR = 0.002  # of accuracy: seven of the 3,498 test rows


def pendigits_tables(results: Results) -> list[Table]:
    """Return Table 1, and the same with a kernel that fits the digits."""
    pendigits = [one for one in results if one["task"]["set"] == "pendigits"]
    remarks = (
        "The printed SSCA rows cut the signed score and so drop one class's rows; ours"
        " cuts its size, and D = 0 leaves SCA's result as it is.",
        "With this kernel the training rows are separated, so SCA and M1RS find nothing"
        " to remove; M2RS does by its own, wider first stage.",
    )
    better = (
        "gamma = 8 is a poor baseline: with gamma = 1/16 the unreduced machine is more"
        " accurate than every reduced one of Table 1. Against it a reduction halves the"
        " support vectors, SCA at a loss of accuracy.",
    )
    captions: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
        "published": ("Table 1: pendigits, gamma = 8, coef0 = 1", TABLE_1, remarks),
        "better": ("Beyond the paper: pendigits, gamma = 1/16, coef0 = 0", {}, better),
    }
    tables = []
    for kernel, (caption, paper, notes) in captions.items():
        lines = _lines(
            [one for one in pendigits if one["task"]["kernel"] == kernel],
            paper,
            EXPECTED[kernel],
        )
        tables.append(Table(caption, ("method", "figure"), lines, notes, digits=2))
    return tables


def ijcnn_table(results: Results) -> Table:
    """Return Table 2, means over the draws."""
    chosen = [one for one in results if one["task"]["set"] == "ijcnn1"]
    rows = chosen[0]["task"]["rows"]
    draws = len({one["task"]["draw"] for one in chosen})
    gammas = sorted({one["gamma"] for one in chosen})
    remarks = (
        f"{rows:,} of the first 35,000 rows, {draws} draw(s), gamma ="
        f" {', '.join(f'{g:g}' for g in gammas)} by cross-validation. The paper gives"
        " no gamma, and its baseline of 673 support vectors at 95.2 % is a far weaker"
        " machine than the cross-validated one, so counts are not comparable; what is"
        " comparable is the share that a method removes, and its loss of accuracy.",
    )
    lines = _lines(chosen, TABLE_2, {})
    return Table("Table 2: ijcnn1", ("method", "figure"), lines, remarks, digits=2)


def _lines(
    results: Results, paper: dict[str, Any], expected: dict[str, Any]
) -> tuple[Line, ...]:
    """Return accuracy, support vectors and the change of risk of each method."""
    after: dict[str, list[dict[str, Any]]] = {}
    changes: dict[str, list[float]] = {}
    unreduced: dict[int, dict[str, Any]] = {}
    for one in results:
        name = _name(one["task"]["method"])
        unreduced[one["task"].get("draw", 0)] = one["before"]
        after.setdefault(name, []).append(one["after"])
        change = 100.0 * (one["after"]["cost"] - one["before"]["cost"])
        changes.setdefault(name, []).append(change)
    lines = []
    after = {"unreduced": list(unreduced.values()), **after}
    for name, measured in after.items():
        accuracy = [100.0 * one["accuracy"] for one in measured]
        vectors = [float(one["support_vectors"]) for one in measured]
        printed = paper.get(name, (None, None))
        low, high = _range_of_accuracy(expected.get(name, (None, None))[0])
        heads = (name, "accuracy %")
        lines.append(Line(heads, *mean_and_error(accuracy), printed[0], low, high))
        low, high = _range_of_vectors(expected.get(name, (None, None))[1])
        heads = (name, "SVs")
        lines.append(Line(heads, *mean_and_error(vectors), printed[1], low, high))
        if name in changes:
            change = mean_and_error(changes[name])
            lines.append(Line((name, "change of w R + E, %"), *change))
    return tuple(lines)


def _name(row: dict[str, Any]) -> str:
    ending = {
        "sca": row.get("removal", "remove"),
        "ssca": f"D = {row.get('distance', 0.0):g}",
    }
    return f"{row['method']} {ending.get(row['method'], _price(row))}"


def _price(row: dict[str, Any]) -> str:
    return f"w = {row.get('rejection_cost', np.nan):g}"


def _range_of_accuracy(value: float | None) -> tuple[float | None, float | None]:
    if value is None:
        return None, None
    return 100.0 * (value - _NEAR), 100.0 * (value + _NEAR)


def _range_of_vectors(value: float | None) -> tuple[float | None, float | None]:
    """Return within 2 % of what another solver finds, or three vectors."""
    if value is None:
        return None, None
    width = max(3.0, 0.02 * value)
    return value - width, value + width
