"""A model as one C file (C99, libm only), for what has neither Python nor a network.

One row at a time: ``demur_decide`` takes the columns in the order of training as
numbers (``demur_code`` turns a text into one) and returns +1, -1 or 0 (ask a person).
"""

import re
from importlib.resources import files
from typing import Any

from app.export.c_steps import STEPS, Writer
from app.export.description import Description
from app.export.precision import Precision
from app.features.values import category

__all__ = ["c_file"]

_REAL = {"float64": "double", "float32": "float"}
_NUMBERS = ("probability", "score", "expected_cost")


def c_file(model: Description, precision: Precision) -> bytes:
    """Return the file; it computes in double or float throughout."""
    out = Writer(precision)
    declared = sorted({"reject_score", *model.values} - {"x", "decision"})
    out.line(f"REAL {', '.join(f'v_{name} = 0' for name in declared)};")
    out.line("int decision;")
    for step in model.steps:
        STEPS[step["do"]](out, step)
    numbers = [name for name in _NUMBERS if name in model.values]
    for name in numbers:
        out.line(f"answer->{name} = v_{name};")
    out.line("(void)v_reject_score;")  # of a rule that does not look at it
    out.line("return decision;")
    runtime = files("app.export").joinpath("runtime.c").read_text("utf-8")
    parts = re.split(r"/\* == (\w+) == \*/\n", runtime)[1:]
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    labels = {"positive": 1, "negative": -1}
    comment = "\n".join(
        f" * {line}".rstrip().replace("*/", "* /") for line in model.notes()
    )
    lines = [
        f"/*\n{comment}",
        " * Compile as C99 without -ffast-math, and link with -lm.",
        " */",
        "#include <math.h>",
        "#include <string.h>",
        "#include <tgmath.h>",
        "",
        f"typedef {_REAL[precision]} REAL;",
        *(f"typedef {kind} {name};" for name, kind in sorted(out.types.items())),
        "",
        "struct demur_answer {",
        *(f"  REAL {name};" for name in numbers),
        "};",
        "",
        *(
            f"const char demur_label_{name}[] = {_text(model.labels[name])};"
            for name in labels
        ),
        "",
        _codes(model),
        *(text for name, text in sections.items() if name in out.needed),
        *out.arrays,
        "",
        "/* Returns +1, -1, or 0: ask a person. A missing value is NAN. */",
        "int demur_decide(const REAL *row, struct demur_answer *answer) {",
        *out.body,
        "}",
    ]
    return ("\n".join(lines) + "\n").encode()


def _codes(model: Description) -> str:
    """Return the function that makes numbers of texts."""
    lines = [
        "/* Returns the number of a text in a column of categories, by its place in a",
        "   row: -1 for one that training did not have, NAN for none. It cuts no",
        "   white space. */",
        "REAL demur_code(int column, const char *text) {",
    ]
    for place, column in enumerate(model.columns):
        if column.type != "categorical":
            continue
        lines.append(f"  if (column == {place}) {{ /* {_safe(column.name)} */")
        for text, code in column.codes.items():
            lines.append(f"    if (strcmp(text, {_text(text)}) == 0) return {code};")
        lines.append("  }")
    lines += [
        f"  if (strcmp(text, {_text(mark)}) == 0) return NAN;" for mark in model.marks
    ]
    return "\n".join([*lines, "  (void)column;", "  return -1;", "}", ""])


def _text(value: Any) -> str:
    """Return a text in C, as bytes of UTF-8; labels that are none are written out."""
    text = category(value)
    plain = (
        chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}"
        for b in text.encode()
    )
    return f'"{"".join(plain)}"'


def _safe(text: str) -> str:
    return text.replace("*/", "* /")
