"""Figure 5 as tables: settings chosen by mean validation loss, then the test parts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.report import Line, Table, mean_and_error
from experiments.splits import FIFTH

__all__ = ["Chosen", "chosen", "loss_table", "methods_of", "reject_table", "sets_of"]

Results = Sequence[dict[str, Any]]

_PLANNED = 5
# BA's mean test loss over c of a right implementation, so many partitions.
RANGES = {
    "haberman": (0.17, 0.23),
    "australian": (0.10, 0.15),
    "pima": (0.175, 0.22),
    "banknote": (0.001, 0.016),
    "cod_rna": (0.055, 0.092),
    "skin": (0.030, 0.044),
}


class Chosen(NamedTuple):
    """What the chosen setting costs and rejects in each partition's test part."""

    setting: str
    losses: list[float]
    rejects: list[float]


def sets_of(results: Results) -> list[str]:
    """Return the names of the sets, in order."""
    return list(dict.fromkeys(one["task"]["set"] for one in results))


def methods_of(results: Results) -> list[str]:
    """Return the names of the methods, in order."""
    return list(next(iter(results[0]["losses"].values())))


def chosen(results: Results, name: str, cost: str, method: str) -> Chosen:
    """Return the setting of least mean validation loss over a set's partitions."""
    some = [
        one["losses"][cost][method] for one in results if one["task"]["set"] == name
    ]
    best = min(some[0], key=lambda s: float(np.mean([one[s][0] for one in some])))
    return Chosen(best, [one[best][1] for one in some], [one[best][2] for one in some])


def loss_table(results: Results) -> Table:
    """Return the mean test loss over all c, per set and method."""
    costs = list(results[0]["losses"])
    lines = []
    means: dict[str, list[float]] = {}
    for name in sets_of(results):
        for method in methods_of(results):
            per_cost = [chosen(results, name, c, method).losses for c in costs]
            value = mean_and_error(np.mean(per_cost, axis=0).tolist(), FIFTH)
            means.setdefault(method, []).append(value[0])
            planned = method == "BA" and len(per_cost[0]) <= _PLANNED
            low, high = RANGES[name] if planned else (None, None)
            lines.append(Line((name, method), *value, None, low, high))
        lines += _as_planned(results, name, costs)
    lines += [
        Line(("mean of the sets", method), float(np.mean(values)))
        for method, values in means.items()
    ]
    better = sum(d < b for d, b in zip(means["DHL"], means["BA"], strict=True))
    n_sets = len(means["BA"])
    remarks = (
        f"The printed ranking does not come out: DHL has the lower mean loss on"
        f" {better} of {n_sets} sets. The features are standardised and C is searched;"
        " the paper says neither, and DHL depends on both.",
        f"A range is that of {_PLANNED} partitions. Where more were drawn in the end"
        f" (draws of skin differ much), the first {_PLANNED} are judged, as planned.",
        'TSB looks bad on the printed grid because .08 is its least threshold: "reject'
        ' nothing" is not on it, which costs most where c is large.',
    )
    return Table("Mean test loss over c", ("set", "method"), tuple(lines), remarks)


def reject_table(results: Results) -> Table:
    """Return how much each method rejects at three costs."""
    costs = list(results[0]["losses"])
    shown = [costs[0], costs[len(costs) // 2], costs[-1]]
    lines = []
    for name in sets_of(results):
        for method in methods_of(results):
            for cost in shown:
                found = chosen(results, name, cost, method)
                value = mean_and_error(found.rejects, FIFTH)
                lines.append(Line((name, method, cost), *value))
    remarks = (
        "Rejecting every row from c = .25 on would be the over-rejection that the"
        " printed derivative (8)-(9) or a missing constant pair causes.",
    )
    caption = "Share of test rows rejected"
    return Table(
        caption, ("set", "method", "c"), tuple(lines), remarks, digits=2, wide=True
    )


def _as_planned(results: Results, name: str, costs: Sequence[str]) -> list[Line]:
    """Return BA on the partitions that were planned, where more were drawn."""
    own = [one for one in results if one["task"]["set"] == name]
    first = [one for one in own if one["task"]["partition"] < _PLANNED]
    if len(own) == len(first):
        return []
    per_cost = [chosen(first, name, cost, "BA").losses for cost in costs]
    value = mean_and_error(np.mean(per_cost, axis=0).tolist(), FIFTH)
    return [Line((name, f"BA, first {_PLANNED}"), *value, None, *RANGES[name])]
