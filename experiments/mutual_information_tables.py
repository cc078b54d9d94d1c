"""Tables V and VI, ours beside the paper's."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from experiments.report import Line, Table, mean_and_error
from experiments.splits import FIFTH

__all__ = ["cost_table", "rule_table"]

Results = Sequence[dict[str, Any]]

# NMI, error %, reject % as printed.
PRINTED = {
    ("wdbc", "Chow"): (0.8526, 2.00, 1.38),
    ("wdbc", "MICVR"): (0.8776, 1.07, 5.59),
    ("wdbc", "mutual information"): (0.8971, 0.88, 4.30),
    ("wdbc", "no rejection"): (0.8293, 2.73, 0.0),
    ("pima", "Chow"): (0.1796, 20.07, 17.14),
    ("pima", "MICVR"): (0.2414, 16.42, 34.28),
    ("pima", "mutual information"): (0.2491, 16.41, 31.13),
    ("pima", "no rejection"): (0.1808, 25.83, 0.0),
    ("german", "Chow"): (0.1167, 19.62, 18.44),
    ("german", "MICVR"): (0.1631, 21.78, 36.37),
    ("german", "mutual information"): (0.1665, 20.48, 21.06),
    ("german", "no rejection"): (0.1306, 27.78, 0.0),
    ("kc1", "Chow"): (0.0074, 12.86, 8.02),
    ("kc1", "MICVR"): (0.1617, 26.11, 27.20),
    ("kc1", "mutual information"): (0.1589, 22.79, 24.12),
    ("kc1", "no rejection"): (0.1182, 28.47, 0.0),
    ("mammography", "Chow"): (0.1853, 1.67, 0.72),
    ("mammography", "MICVR"): (0.4947, 2.33, 8.18),
    ("mammography", "mutual information"): (0.5026, 2.35, 6.20),
    ("mammography", "no rejection"): (0.4373, 4.67, 0.0),
}
# Where the NMI of a right implementation lands, 10 runs.
RANGES: dict[tuple[str, str], tuple[float | None, float | None]] = {
    ("wdbc", "mutual information"): (0.80, 0.93),
    ("pima", "mutual information"): (0.15, 0.26),
    ("german", "mutual information"): (0.11, 0.20),
    ("kc1", "mutual information"): (0.125, 0.19),
    ("mammography", "mutual information"): (0.44, 0.53),
    ("kc1", "Chow"): (None, 0.03),
}
# Embedded CFN with CRP = CRN; then CRP = CRN; CFN and CRP with CRN = 0.4.
PRINTED_COSTS = {
    "wdbc": (1.701, 0.290, 2.200, 0.253),
    "pima": (2.612, 0.480, 2.218, 0.540),
    "german": (2.573, 0.548, 2.257, 0.737),
    "kc1": (8.551, 0.758, 6.077, 1.867),
    "mammography": (85.77, 0.836, 44.29, 3.160),
}
COST_RANGES = {
    "wdbc": (1.2, 2.2),
    "pima": (2.0, 3.4),
    "german": (2.5, 3.4),
    "kc1": (7.0, 13.0),
    "mammography": (75.0, 125.0),
}
_EXTRA = "mutual information, out of fold"


def rule_table(results: Results) -> Table:
    """Return Table V."""
    lines = []
    for name in dict.fromkeys(one["task"]["set"] for one in results):
        chosen = [one["methods"] for one in results if one["task"]["set"] == name]
        for method in results[0]["methods"]:
            printed = PRINTED.get((name, method), (None, None, None))
            low, high = RANGES.get((name, method), (None, None))
            nmi = mean_and_error([one[method]["nmi"] for one in chosen], FIFTH)
            names = (name, method, "NMI")
            lines.append(Line(names, *nmi, printed[0], low, high))
            for key, label, paper in (
                ("error", "errors", printed[1]),
                ("reject", "rejected", printed[2]),
            ):
                value = mean_and_error([one[method][key] for one in chosen], FIFTH)
                share = None if paper is None else paper / 100.0
                lines.append(Line((name, method, label), *value, share))
    newton, exact, outside = (
        _means(results, name) for name in ("mutual information", "MICVR", _EXTRA)
    )
    gains = [one - other for one, other in zip(newton, exact, strict=True)]
    gain, error = mean_and_error(gains)
    width = "" if error is None else f" ± {error:.4f}"
    remarks = (
        "The order of the rules comes out as printed where classes are unbalanced:"
        " Chow's rule at .4 tells least. Our NMI lies somewhat below the printed one on"
        " most sets; the paper gives neither the settings of its SVM nor how its"
        " figures on wdbc and pima were reached.",
        "The exact empirical optimum (MICVR) has the better objective on the part it is"
        f" fitted on. On the test part it has {gain:.4f}{width} less than the smoothed"
        " one (mean paired difference in NMI, the sets as the sample).",
        f'"{_EXTRA}" is not in the paper: 5-fold scores of the training and validation'
        " rows together, which is how the service fits the rule. It is at least as good"
        f" on {len(newton) - _below(outside, newton)} of {len(newton)} sets.",
    )
    return Table("Table V", ("set", "rule", "figure"), tuple(lines), remarks)


def cost_table(results: Results) -> Table:
    """Return Table VI: means over the runs whose thresholds are finite."""
    lines = []
    violated = 0
    for name in dict.fromkeys(one["task"]["set"] for one in results):
        costs = [one["embedded"] for one in results if one["task"]["set"] == name]
        violated += sum(not one["admissible"] for one in costs)
        keys = (
            ("cfn_equal", "CFN, CRP = CRN"),
            ("crp_equal", "CRP = CRN"),
            ("cfn_fixed", "CFN, CRN = .4"),
            ("crp_fixed", "CRP, CRN = .4"),
        )
        for place, (key, label) in enumerate(keys):
            values = [one[key] for one in costs if isfinite(one[key])]
            low, high = COST_RANGES[name] if place == 0 else (None, None)
            paper = PRINTED_COSTS[name][place]
            value = mean_and_error(values, FIFTH, len(costs))
            lines.append(Line((name, label), *value, paper, low, high))
    remarks = (
        "A false positive costs 1. The paper finds that all its costs satisfy (11);"
        f" here {len(results) - violated} of {len(results)} runs do. They do exactly"
        " where the estimated odds of -1 at the lower threshold exceed those at the"
        " upper one.",
    )
    return Table("Table VI: embedded costs", ("set", "cost"), tuple(lines), remarks)


def _means(results: Results, method: str) -> list[float]:
    """Return a method's mean NMI on each set."""
    found: dict[str, list[float]] = {}
    for one in results:
        nmi = one["methods"][method]["nmi"]
        found.setdefault(one["task"]["set"], []).append(nmi)
    return [float(np.mean(values)) for values in found.values()]


def _below(ones: list[float], others: list[float]) -> int:
    return sum(one < other for one, other in zip(ones, others, strict=True))
