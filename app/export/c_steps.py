"""The steps of a description in C; see `app.export.description` for what each does."""

from collections.abc import Callable
from typing import Any

import numpy as np

from app.export.description import Step, entered_in
from app.export.precision import Precision, held, most_odds, rounded_down

__all__ = ["STEPS", "Writer"]

_NODE = ("left", "right", "feature", "category", "missing_left")
_WHOLE = ("signed char", "short", "long")


class Writer:
    """The parts of one file."""

    def __init__(self, precision: Precision) -> None:
        self.precision = precision
        self.arrays: list[str] = []
        self.body: list[str] = []
        self.needed: set[str] = set()
        self.types: dict[str, str] = {}
        self._count = 0

    def array(self, name: str, values: Any) -> str:
        """Write an array of numbers; return what it is called."""
        flat = np.ravel(np.asarray(values))
        kind = "REAL"
        if flat.dtype.kind in "iub":
            kind = _whole(flat)
            cells = [str(int(v)) for v in flat]
        else:
            cells = [_number(v) for v in flat]
        called = f"demur_{name}_{self.next_number()}"
        text = ", ".join(cells or ["0"])
        self.arrays.append(f"static const {kind} {called}[] = {{{text}}};")
        return called

    def next_number(self) -> int:
        """Return a number that no name has yet."""
        self._count += 1
        return self._count

    def line(self, text: str) -> None:
        """Add a statement to the function."""
        self.body.append(f"  {text}")


STEPS: dict[str, Callable[[Writer, Step], None]] = {}
"""How each kind of step is written."""
_step = entered_in(STEPS)


@_step
def _encode(out: Writer, step: Step) -> None:
    width, numbers = step["width"], step["numbers"]
    out.line(f"REAL x[{max(width, 1)}] = {{0}};")
    if numbers:
        names = ("impute", "low", "high", "mean", "inverse")
        arrays = {
            name: out.array(name, held(step[name], out.precision)) for name in names
        }
        column = out.array("column", numbers)
        place = np.full(len(numbers), -1)
        for k, j in enumerate(step["indicated"]):
            place[j] = len(numbers) + k
        indicator = out.array("indicator", place)
        out.line(f"for (int j = 0; j < {len(numbers)}; j++) {{")
        out.line(f"  REAL v = row[{column}[j]];")
        if len(step["marks"]) and step["plain_numbers"]:
            marks = out.array("mark", step["marks"])
            out.line(f"  if (j < {step['plain_numbers']})")
            out.line(f"    for (int k = 0; k < {len(step['marks'])}; k++)")
            out.line(f"      if (v == {marks}[k]) v = NAN;")
        out.line("  if (isnan(v)) {")
        out.line(f"    if ({indicator}[j] >= 0) x[{indicator}[j]] = 1;")
        out.line(f"    v = {arrays['impute']}[j];")
        out.line("  }")
        out.line(f"  if (v < {arrays['low']}[j]) v = {arrays['low']}[j];")
        out.line(f"  if (v > {arrays['high']}[j]) v = {arrays['high']}[j];")
        out.line(f"  x[j] = (v - {arrays['mean']}[j]) * {arrays['inverse']}[j];")
        out.line("}")
    for each in step["categories"]:
        code, start = f"row[{each['column']}]", each["start"]
        if step["native"]:
            out.line(f"x[{start}] = {code} >= 0 ? {code} : (REAL)NAN;")
            continue
        out.line(f"if ({code} >= 0) x[{start} + (int){code}] = 1;")
        if each["missing"]:
            out.line(f"if (isnan({code})) x[{start + each['width']}] = 1;")


@_step
def _linear(out: Writer, step: Step) -> None:
    weights, n = out.array("weight", step["weights"]), len(step["weights"])
    out.line(f"v_{step['to']} = {_number(step['offset'])};")
    out.line(f"for (int j = 0; j < {n}; j++) v_{step['to']} += {weights}[j] * x[j];")


@_step
def _kernel(out: Writer, step: Step) -> None:
    n, d = step["vectors"].shape
    # Nearest as they are: the centre is for products.
    vectors = out.array("vector", step["vectors"] + step["centre"])
    weights = out.array("coefficient", step["coefficients"])
    gamma, to = _number(step["gamma"]), f"v_{step['to']}"
    out.line(f"{to} = {_number(step['offset'])};")
    out.line(f"for (int i = 0; i < {n}; i++) {{")
    out.line("  REAL sum = 0;")
    out.line(f"  for (int j = 0; j < {d}; j++) {{")
    if step["kind"] == "rbf":
        out.line(f"    REAL apart = x[j] - {vectors}[i * {d} + j];")
        out.line("    sum += apart * apart;")
        value = f"exp(-(REAL){gamma} * sum)"
    else:
        out.line(f"    sum += x[j] * {vectors}[i * {d} + j];")
        value = f"(REAL){gamma} * sum + (REAL){_number(step['coef0'])}"
        if step["kind"] == "sigmoid":
            value = f"tanh({value})"
        else:
            value = f"pow({value}, (REAL){step['degree']})"
    out.line("  }")
    out.line(f"  {to} += {weights}[i] * {value};")
    out.line("}")


@_step
def _trees(out: Writer, step: Step) -> None:
    out.needed.add("trees")
    splits = rounded_down(step["threshold"], out.precision)
    spans = {"NODE": ("left", "right", "roots"), "FEATURE": ("feature",)}
    spans["SPLIT"] = ("category",)
    for name, fields in spans.items():
        every = np.concatenate([np.ravel(step[field]) for field in fields])
        kind = _whole(every)
        out.types[name] = max(kind, out.types.get(name, kind), key=_WHOLE.index)
    columns = [np.asarray(step[name]).astype(int) for name in _NODE]
    nodes = ", ".join(
        f"{{{', '.join(map(str, whole))}, {_number(split)}}}"
        for *whole, split in zip(*columns, splits, strict=True)
    )
    n = out.next_number()
    out.arrays.append(
        f"static const struct demur_node demur_nodes_{n}[] = {{{nodes}}};"
    )
    rows = []
    for codes in step["sets"] or [[]]:
        bits = np.zeros(256, dtype=np.uint8)
        bits[codes] = 1
        packed = np.packbits(bits, bitorder="little")
        rows.append("{" + ", ".join(map(str, packed.tolist())) + "}")
    sets = ", ".join(rows)
    out.arrays.append(f"static const unsigned char demur_sets_{n}[][32] = {{{sets}}};")
    values = out.array("leaf", step["values"])
    roots = ", ".join(str(int(root)) for root in step["roots"])
    out.arrays.append(f"static const NODE demur_roots_{n}[] = {{{roots or 0}}};")
    base = ", ".join(_number(value) for value in step["base"])
    width = len(step["to"])
    out.line(f"REAL sums_{n}[] = {{{base}}};")
    out.line(
        f"demur_trees(x, demur_nodes_{n}, demur_sets_{n}, {values}, {width},"
        f" demur_roots_{n}, {len(step['roots'])}, sums_{n});"
    )
    for k, name in enumerate(step["to"]):
        out.line(f"v_{name} = sums_{n}[{k}];")


@_step
def _column(out: Writer, step: Step) -> None:
    out.line(f"v_{step['to']} = isnan(x[0]) ? {_number(step['stand_in'])} : x[0];")


@_step
def _logit(out: Writer, step: Step) -> None:
    clip, v = step["clip"], f"v_{step['from']}"
    out.needed.add("held")
    out.line(f"{v} = demur_held({v}, {_number(clip)}, {_number(1.0 - clip)});")
    out.line(f"v_{step['to']} = log({v}) - log1p(-{v});")


@_step
def _affine(out: Writer, step: Step) -> None:
    slope, offset = _number(step["slope"]), _number(step["offset"])
    out.line(f"v_{step['to']} = (REAL){slope} * v_{step['from']} + (REAL){offset};")


@_step
def _clip(out: Writer, step: Step) -> None:
    out.needed.add("held")
    most = _number(step["most"])
    out.line(f"v_{step['to']} = demur_held(v_{step['from']}, -{most}, {most});")


@_step
def _interp(out: Writer, step: Step) -> None:
    out.needed.add("interp")
    knots, heights = (out.array(name, step[name]) for name in ("knots", "heights"))
    call = f"demur_interp(v_{step['from']}, {knots}, {heights}, {len(step['knots'])})"
    out.line(f"v_{step['to']} = {call};")


@_step
def _sum(out: Writer, step: Step) -> None:
    terms = (
        f"(REAL){_number(weight)} * v_{name}"
        for weight, name in zip(step["weights"], step["from"], strict=True)
    )
    out.line(f"v_{step['to']} = {' + '.join(terms)};")


@_step
def _odds(out: Writer, step: Step) -> None:
    h, r = (f"v_{name}" for name in step["from"])
    odds = f"2 * {h}"
    if step["logistic"]:
        out.needed.add("softplus")
        odds = f"demur_softplus({h} - {r}) - demur_softplus(-{h} - {r})"
    out.line(f"v_{step['to']} = {odds} - (REAL){_number(step['offset'])};")


@_step
def _logistic(out: Writer, step: Step) -> None:
    out.needed.add("held")
    most = _number(most_odds(step["most"], out.precision))
    odds = f"demur_held(v_{step['from']}, -{most}, {most})"
    out.line(f"v_{step['to']} = 1 / (1 + exp(-{odds}));")


@_step
def _band(out: Writer, step: Step) -> None:
    v, above = f"v_{step['from']}", ">=" if step["closed"] else ">"
    upper, lower = (f"(REAL){_number(step[name])}" for name in ("upper", "lower"))
    out.line(f"decision = ({v} {above} {upper}) - ({v} < {lower});")
    out.line("if (!isfinite(v_score)) decision = 0;")


@_step
def _pair(out: Writer, step: Step) -> None:
    h, r = (f"v_{name}" for name in step["from"])
    out.line(f"decision = {r} > 0 && isfinite({h}) ? ({h} > 0 ? 1 : -1) : 0;")


@_step
def _costs(out: Writer, step: Step) -> None:
    price = {
        name: f"(REAL){_number(step[name])}"
        for name in step
        if name not in {"do", "from", "to"}
    }
    p, q = "v_probability", "(1 - v_probability)"
    positive, negative, reject, taken = (f"v_{name}" for name in step["to"])
    out.line(f"{positive} = {q} * {price['false_positive']};")
    out.line(f"{negative} = {p} * {price['false_negative']};")
    of_reject = f"{p} * {price['reject_positive']} + {q} * {price['reject_negative']}"
    out.line(f"{reject} = {of_reject};")
    chosen = f"decision > 0 ? {positive} : decision < 0 ? {negative} : {reject}"
    out.line(f"{taken} = {chosen};")


def _whole(values: Any) -> str:
    """Return the smallest signed type of whole numbers that holds all of these."""
    largest = int(np.abs(values).max(initial=0))
    return _WHOLE[(largest > 127) + (largest > 32767)]


def _number(value: float) -> str:
    """Return a number in C, all its digits."""
    number = float(value)
    if np.isnan(number):
        return "NAN"
    if np.isinf(number):
        return "INFINITY" if number > 0 else "-INFINITY"
    return repr(number)
