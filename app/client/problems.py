"""Problems of the service in the words of the command line.

A problem says where a fault is by a JSON pointer, for programs. A person is told the
option that said it, or the row and the column.
"""

import re
from collections.abc import Mapping
from typing import Any

from app.datasets.schemas import UploadQuery

__all__ = [
    "ClientError",
    "RefusedError",
    "as_options",
    "option_of",
    "problem_error",
    "problem_in_python",
]

_SHOWN_FAULTS = 5
_IN_FILE = ("/rows", "/columns")
# What follows is a value, but for blanks and for the marks of a sentence; a decimal
# mark may be one of these.
_PARAMETER = re.compile(
    rf"\b({'|'.join(UploadQuery.model_fields)})="
    r"(?P<value>(?<=decimal=)(?=\S)|(?=[^\s,.;:)]))?"
)
_OWN = {
    "evaluation": ("holdout", "seed", "order_by"),
    "target": ("column", "positive", "weight"),
    "costs": (
        "false_positive",
        "false_negative",
        "reject_positive",
        "reject_negative",
    ),
}
_TOP = {
    "model",
    "trainer",
    "rule",
    "target",
    "groups",
    "max_reject_rate",
    "max_error",
    "prevalence",
}
_SEE = {"unknown-model": "demur models", "unknown-job": "demur jobs"}


class ClientError(Exception):
    """The service refused, failed, or is not there; the text is for people."""

    def __init__(self, text: str, rows: tuple[int, ...] = ()) -> None:
        super().__init__(text, rows)
        self.text, self.rows = text, rows

    def __str__(self) -> str:
        return self.text


class RefusedError(ClientError):
    """The service answered that it will not, or that it failed."""


def as_options(text: str) -> str:
    """Return a text that names parameters of a query (``decimal=,``) with options."""
    text = text.replace("header=false", "--no-header").replace(
        "header=true", "--header"
    )
    return _PARAMETER.sub(
        lambda match: _dashed(match[1]) + ("" if match["value"] is None else " "), text
    )


def problem_error(problem: Mapping[str, Any]) -> RefusedError:
    """Return the text of a problem, its faults one a line, and the rows they name."""
    faults = problem.get("errors", [])
    detail = str(problem.get("detail", ""))
    lines = [str(problem.get("title", "The service answered with an error"))]
    if not faults:
        lines.append(_with_command(problem, detail))
    shown = faults[:_SHOWN_FAULTS]
    lines += [_line(fault, detail) for fault in shown]
    if len(faults) > _SHOWN_FAULTS:
        lines.append(f"and {len(faults) - _SHOWN_FAULTS} more")
    rows = tuple(fault["row"] for fault in shown if "row" in fault)
    return RefusedError(as_options("\n  ".join(lines)), rows)


def problem_in_python(problem: Mapping[str, Any]) -> RefusedError:
    """Return a problem for programs: a fault is at a path such as ``costs.x``."""
    faults, detail = problem.get("errors", []), problem.get("detail", "")
    lines = [str(problem.get("title", "The service answered with an error"))]
    if not faults:
        lines.append(str(detail))
    for fault in faults[:_SHOWN_FAULTS]:
        path = str(fault.get("pointer") or "").strip("/").replace("/", ".")
        lines.append(f"{path}: {fault['detail']}" if path else fault["detail"])
    if len(faults) > _SHOWN_FAULTS:
        lines.append(f"and {len(faults) - _SHOWN_FAULTS} more")
    rows = tuple(fault["row"] for fault in faults if "row" in fault)
    return RefusedError("\n  ".join(lines), rows)


def _with_command(problem: Mapping[str, Any], detail: str) -> str:
    """Name the command that lists what there is, where HTTP's own way is named."""
    command = _SEE.get(str(problem.get("type", "")).rpartition("/")[2])
    if command is None:
        return detail
    return f"{detail.partition(';')[0]}; see `{command}`"


def _line(fault: Mapping[str, Any], of_problem: str) -> str:
    detail, row = str(fault["detail"]), fault.get("row")
    pointer = str(fault.get("pointer") or "")
    if detail == of_problem and (not pointer or pointer.startswith(_IN_FILE)):
        # It names its place itself, rows as programs count them.
        return re.sub(r"^row (\d+)", lambda m: f"row {int(m[1]) + 1}", detail)
    column = f"column {fault['column']!r}" if fault.get("column") else ""
    if row is not None:
        place = ", ".join(filter(None, (f"row {row + 1}", column)))
    else:
        place = column or option_of(pointer)
    return f"{place}: {detail}" if place else detail


def option_of(pointer: str) -> str:
    """Return the option that says what a JSON pointer points at.

    Examples
    --------
    >>> option_of("/costs/false_positive")
    '--false-positive'
    >>> option_of("/trainer/C")
    '--set trainer.C'
    """
    path = [one.replace("~1", "/").replace("~0", "~") for one in pointer.split("/")[1:]]
    match path:
        case []:
            option = ""
        case ["query", name]:
            option = _dashed(name)
        case ["path", name] | ["version" as name]:
            option = f"the {name}"
        case ["target", "column"]:
            option = "--target"
        case ["search", "params", name, *_]:
            option = f"--search {name}"
        case ["data", *_]:
            option = "the file"
        case [top, name] if name in _OWN.get(top, ()):
            option = _dashed(name)
        case [top] | [top, "kind"] if top in _TOP:
            option = _dashed(top)
        case ["costs"]:
            option = "the costs"
        case _:
            option = f"--set {'.'.join(path)}"
    return option


def _dashed(name: str) -> str:
    return "--" + name.replace("_", "-")
