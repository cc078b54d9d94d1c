"""Decide rows by a list of steps, with NumPy alone.

`decide` takes columns by name and returns arrays, a row each. Missing values are None,
NaN, or one of the marks that training knew.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.features.values import category

__all__ = ["decide_by"]

Floats = NDArray[np.float64]
Step = dict[str, Any]


def decide_by(
    columns: Sequence[tuple[str, str, Mapping[str, int]]],
    marks: Sequence[str],
    labels: Mapping[str, Any],
    steps: Sequence[Step],
    table: Mapping[str, Sequence[Any]],
) -> dict[str, NDArray[Any]]:
    """Return the decisions on rows.

    Parameters
    ----------
    columns : list of (name, type, codes of texts)
    marks : list of str
        Texts that mean "no value".
    labels : dict
        ``positive`` and ``negative``.
    steps : list of dict
        The first makes x of the columns.
    table : mapping of column name to sequence of n_rows values

    Returns
    -------
    dict of arrays of shape (n_rows,)
        ``decision`` ("+1", "-1" or "reject") first, then ``label`` (None where it is
        rejected), ``reject``, and the numbers of the model: ``score``, ``probability``,
        ``expected_cost`` where it has them.

    Raises
    ------
    KeyError
        When a column is missing.
    ValueError
        When a cell of a column of numbers is none.
    """
    raw = [_read(table[name], kind, codes, marks) for name, kind, codes in columns]
    values: dict[str, Any] = {"x": _encode(steps[0], raw)}
    for step in steps[1:]:
        source = [step["from"]] if isinstance(step["from"], str) else step["from"]
        made = _STEPS[step["do"]](step, *(values[name] for name in source))
        if step["to"] == "decision":
            made = np.where(np.isfinite(values["score"]), made, 0)
        if isinstance(step["to"], list):
            values.update(zip(step["to"], made, strict=True))
        else:
            values[step["to"]] = made
    decision = values["decision"]
    words = np.array(["reject", "+1", "-1"], dtype=object)
    named = np.array([None, labels["positive"], labels["negative"]], dtype=object)
    answers = {"decision": words[decision], "label": named[decision]}
    answers["reject"] = decision == 0
    numbers = ("probability", "score", "expected_cost")
    return answers | {name: values[name] for name in numbers if name in values}


def _read(
    cells: Sequence[Any], kind: str, codes: Mapping[str, int], marks: Sequence[str]
) -> Floats:
    """Return a column as numbers: NaN is missing, an unseen category is -1."""
    if kind != "categorical":
        return np.array(
            [np.nan if cell is None or cell in marks else cell for cell in cells],
            dtype=np.float64,
        )
    known: dict[Any, float] = {None: np.nan}
    cells = [None if cell != cell else cell for cell in cells]  # noqa: PLR0124 - NaN
    for cell in cells:
        if cell not in known:
            name = category(cell)
            code = codes.get(name, np.nan if name in marks else -1)
            known[cell] = codes.get(cell, code) if isinstance(cell, str) else code
    return np.array([known[cell] for cell in cells], dtype=np.float64)


def _encode(step: Step, raw: Sequence[Floats]) -> Floats:
    n_numbers = len(step["numbers"])
    x = np.zeros((len(raw[0]), step["width"]))
    for j, column in enumerate(step["numbers"]):
        values = raw[column]
        if j < step["plain_numbers"]:
            values = np.where(np.isin(values, step["marks"]), np.nan, values)
        missing = np.isnan(values)
        values = np.where(missing, step["impute"][j], values)
        values = np.minimum(np.maximum(values, step["low"][j]), step["high"][j])
        x[:, j] = (values - step["mean"][j]) * step["inverse"][j]
        if j in step["indicated"]:
            x[:, n_numbers + step["indicated"].index(j)] = missing
    for place in step["categories"]:
        codes, start = raw[place["column"]], place["start"]
        if step["native"]:
            x[:, start] = np.where(codes >= 0, codes, np.nan)
            continue
        for code in range(place["width"]):
            x[:, start + code] = codes == code
        if place["missing"]:
            x[:, start + place["width"]] = np.isnan(codes)
    return x


def _linear(step: Step, x: Floats) -> Any:
    return x @ step["weights"] + step["offset"]


def _kernel(step: Step, x: Floats) -> Any:
    score = np.empty(len(x))
    for start in range(0, len(x), 256):  # so that kernel values stay in the cache
        rows = x[start : start + 256] - step["centre"]
        products = rows @ step["vectors"].T
        if step["kind"] == "rbf":
            squares = (rows**2).sum(1)[:, None] + (step["vectors"] ** 2).sum(1)
            values = np.exp(-step["gamma"] * (squares - 2.0 * products))
        else:
            values = step["gamma"] * products + step["coef0"]
            values = (
                np.tanh(values)
                if step["kind"] == "sigmoid"
                else values ** step["degree"]
            )
        score[start : start + 256] = values @ step["coefficients"] + step["offset"]
    return score


def _trees(step: Step, x: Floats) -> list[Floats]:
    sums = np.tile(np.asarray(step["base"], dtype=np.float64), (len(x), 1))
    sets = np.zeros((len(step["sets"]) + 1, 256), dtype=bool)
    for k, codes in enumerate(step["sets"]):
        sets[k, codes] = True
    rows = np.arange(len(x))
    for root in step["roots"]:
        node = np.full(len(x), root)
        while (inner := step["left"][node] >= 0).any():
            value = x[rows, step["feature"][node]]
            left = value <= step["threshold"][node]
            code = np.where(np.isnan(value), 0.0, value).clip(0, 255).astype(int)
            split = step["category"][node]
            left = np.where(split >= 0, sets[split, code], left)
            left = np.where(np.isnan(value), step["missing_left"][node], left)
            below = np.where(left, step["left"][node], step["right"][node])
            node = np.where(inner, below, node)
        sums += step["values"][node]
    return list(sums.T)


def _column(step: Step, x: Floats) -> Any:
    return np.where(np.isnan(x[:, 0]), step["stand_in"], x[:, 0])


def _logit(step: Step, v: Floats) -> Any:
    v = np.clip(v, step["clip"], 1.0 - step["clip"])
    return np.log(v) - np.log1p(-v)


def _affine(step: Step, v: Floats) -> Any:
    return step["slope"] * v + step["offset"]


def _clip(step: Step, v: Floats) -> Any:
    return np.clip(v, -step["most"], step["most"])


def _interp(step: Step, v: Floats) -> Any:
    return np.interp(v, step["knots"], step["heights"])


def _sum(step: Step, *values: Floats) -> Floats:
    total = np.zeros(len(values[0]))
    for weight, each in zip(step["weights"], values, strict=True):
        total += weight * each
    return total


def _odds(step: Step, h: Floats, r: Floats) -> Any:
    odds = 2.0 * h
    if step["logistic"]:
        odds = np.logaddexp(0.0, h - r) - np.logaddexp(0.0, -h - r)
    return odds - step["offset"]


def _logistic(step: Step, v: Floats) -> Any:
    return 1.0 / (1.0 + np.exp(_clip(step, -v)))


def _band(step: Step, v: Floats) -> Any:
    above = v >= step["upper"] if step["closed"] else v > step["upper"]
    return above.astype(int) - (v < step["lower"])


def _pair(_step: Step, h: Floats, r: Floats) -> Any:
    return np.where(r > 0.0, np.where(h > 0.0, 1, -1), 0)


def _costs(step: Step, p: Floats, decision: NDArray[Any]) -> list[Floats]:
    plus, minus = (1.0 - p) * step["false_positive"], p * step["false_negative"]
    reject = p * step["reject_positive"] + (1.0 - p) * step["reject_negative"]
    taken = np.where(decision == 0, reject, np.where(decision > 0, plus, minus))
    return [plus, minus, reject, taken]


_STEPS: dict[str, Any] = {
    "linear": _linear,
    "kernel": _kernel,
    "trees": _trees,
    "column": _column,
    "logit": _logit,
    "affine": _affine,
    "clip": _clip,
    "interp": _interp,
    "sum": _sum,
    "odds": _odds,
    "logistic": _logistic,
    "band": _band,
    "pair": _pair,
    "costs": _costs,
}
