"""Cases taken home and verdicts brought back: as CSV, and as Label Studio has them.

Label Studio's JSON (its guide, "Label Studio Task Format"): a list of tasks, each with
its ``data``; an export has ``annotations`` in it, each with ``completed_by`` (a number,
or an object with ``email``), ``lead_time`` in seconds, ``was_cancelled``, and a
``result`` whose items have ``from_name``, ``type`` and a ``value`` of that type.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.artifacts.model import Label
from app.errors import FieldError, MalformedRequestError
from app.errors.faults import unusable
from app.features.values import trimmed
from app.reviews.schemas import ClaimedCase
from app.reviews.tables import read_rows
from app.strict import number_in

__all__ = ["Brought", "as_csv", "as_tasks", "from_csv", "from_tasks"]

LONGEST_TEXT = 2000
MOST_SECONDS = 100_000_000
COLUMNS = ("case", "reference", "due_at", "label", "sure", "note", "person")
"""The first of an exported CSV file; the empty ones are filled in at home."""

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Taken:
    """A case as it is taken home."""

    case: ClaimedCase
    reference: str | None


@dataclass(frozen=True, slots=True)
class Brought:
    """A verdict as it is brought back; ``row`` says where it stood."""

    row: int
    case: str | None
    reference: str | None
    label: Label
    sure: float
    note: str | None
    person: str | None
    seconds: float | None = None


def as_csv(taken: Sequence[Taken]) -> str:
    """Return cases as a CSV file with room for verdicts."""
    names = list(
        dict.fromkeys(name for one in taken for name in one.case.features or {})
    )
    shown = [f"{name} (column)" if name in COLUMNS else name for name in names]
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow([*COLUMNS, *shown])
    for one in taken:
        case, features = one.case, one.case.features or {}
        due = "" if case.due_at is None else case.due_at.isoformat()
        cells = [_plain(features.get(name)) for name in names]
        writer.writerow([case.id, _plain(one.reference), due, "", "", "", "", *cells])
    return file.getvalue()


def _plain(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, str) and cell.startswith(_FORMULAS):
        return f"'{cell}"
    return "" if cell is None else cell


def as_tasks(taken: Sequence[Taken]) -> list[dict[str, Any]]:
    """Return cases as tasks of Label Studio; predictions where scores may be seen."""
    return [_task(one) for one in taken]


def _task(one: Taken) -> dict[str, Any]:
    case, machine = one.case, one.case.machine
    data = {
        "case": case.id,
        "reference": one.reference,
        "model": case.model,
        "due_at": None if case.due_at is None else case.due_at.isoformat(),
        "features": case.features or {},
    }
    if machine is None or machine.would_be is None:
        return {"data": data}
    choice = {"choices": [str(machine.would_be)]}
    result = {
        "from_name": "label",
        "to_name": "case",
        "type": "choices",
        "value": choice,
    }
    prediction = {
        "model_version": f"{case.model}:{machine.version}",
        "score": machine.probability,
        "result": [result],
    }
    return {"data": data, "predictions": [prediction]}


def from_csv(body: bytes, charset: str | None = None) -> list[Brought]:
    """Return the verdicts of a CSV file; rows without a label are none.

    Raises
    ------
    InvalidRequestError
        Naming columns that are missing, and cells by their row.
    UnsupportedMediaTypeError
        When text in that charset is not taken.
    """
    names, rows = read_rows(body, charset)
    if "label" not in names or not {"case", "reference"} & {*names}:
        detail = "the file needs a column label, and one named case or reference"
        raise unusable([FieldError("/header", detail)])
    filled = ((i, row) for i, row in enumerate(rows) if trimmed(row["label"]))
    return [
        Brought(
            i,
            _text(row.get("case"), i, "case"),
            _reference(row.get("reference")),
            row["label"],
            _sure(row.get("sure"), i),
            _text(row.get("note"), i, "note"),
            _text(row.get("person"), i, "person"),
            _seconds(row.get("seconds"), i, "seconds"),
        )
        for i, row in filled
    ]


def _reference(cell: str | None) -> str | None:
    """Return a reference without the mark that keeps it from being a formula."""
    if not cell:
        return None
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_FORMULAS) else cell


def from_tasks(body: bytes) -> list[Brought]:
    """Return the verdicts of an export of Label Studio; cancelled ones are none.

    Raises
    ------
    MalformedRequestError
        When it is no JSON.
    InvalidRequestError
        When it is no list of tasks with annotations.
    """
    try:
        tasks = json.loads(body)
    except (ValueError, RecursionError):
        msg = "the body is no JSON"
        raise MalformedRequestError(msg) from None
    if not isinstance(tasks, list):
        raise unusable([FieldError("", "an export of Label Studio is a list of tasks")])
    brought = (one for i, task in enumerate(tasks) for one in _annotated(task, i))
    return list(brought)


def _annotated(task: Any, i: int) -> Iterator[Brought]:
    data = task.get("data") if isinstance(task, dict) else None
    annotations = task.get("annotations", []) if isinstance(task, dict) else None
    if not isinstance(data, dict) or not isinstance(annotations, list):
        detail = "a task has data and annotations (export as JSON, not JSON-MIN)"
        raise unusable([FieldError(f"/{i}", detail, row=i)])
    for annotation in annotations:
        if not isinstance(annotation, dict):
            raise unusable([FieldError(f"/{i}/annotations", _SHAPE, row=i)])
        if annotation.get("was_cancelled"):
            continue
        values = _values(annotation.get("result"), i)
        label = values.get("label", values.get("choices"))
        if label is None:
            continue
        yield Brought(
            i,
            _text(data.get("case"), i, "data/case"),
            _text(data.get("reference"), i, "data/reference"),
            label,
            _sure(values.get("sure"), i),
            _text(values.get("note"), i, "annotations"),
            _annotator(annotation.get("completed_by"), i),
            _seconds(annotation.get("lead_time"), i, "annotations"),
        )


_SHAPE = "an annotation has a result: a list of items, each with its type"


def _values(result: Any, i: int) -> dict[str, Any]:
    """Return what was said, by the control's name, and choices by their type."""
    by_name: dict[str, Any] = {}
    items = result if isinstance(result, list) else [None]
    for item in items:
        if not isinstance(item, Mapping) or not isinstance(item.get("type"), str):
            raise unusable([FieldError(f"/{i}/annotations", _SHAPE, row=i)])
        kind, value = item["type"], item.get("value")
        if not isinstance(value, Mapping):  # an arrow between two others has none
            continue
        inner = value.get("text" if kind == "textarea" else kind)
        first = inner[0] if isinstance(inner, list) and inner else inner
        by_name[str(item.get("from_name"))] = first
        by_name.setdefault(kind, first)
    return by_name


def _annotator(completed_by: Any, i: int) -> str | None:
    if isinstance(completed_by, Mapping):
        completed_by = completed_by.get("email") or completed_by.get("id")
    name = _text(completed_by, i, "annotations")
    return None if name is None else f"label-studio {name}"


def _text(value: Any, i: int, name: str) -> str | None:
    """Return a text as it is compared; None where there is none."""
    if value is None:
        return None
    text = trimmed(str(value)) if isinstance(value, str | int | float) else "\0"
    if "\0" in text or len(text) > LONGEST_TEXT:
        detail = f"takes text of {LONGEST_TEXT} characters at most, none of them NUL"
        raise unusable([FieldError(f"/{i}/{name}", detail, row=i)])
    return text or None


def _sure(value: Any, i: int) -> float:
    """Return how sure, from .5 to 1; 50 to 100 are percents, nothing is certain."""
    number = _number(value, i, "sure")
    if number is None:
        return 1.0
    share = number / 100 if number > 1 else number
    if not 0.5 <= share <= 1:
        detail = "how sure is from .5 to 1, or from 50 to 100"
        raise unusable([FieldError(f"/{i}/sure", detail, row=i)])
    return share


def _seconds(value: Any, i: int, name: str) -> float | None:
    number = _number(value, i, name)
    if number is not None and not 0 <= number <= MOST_SECONDS:
        detail = f"seconds are from 0 to {MOST_SECONDS:,}"
        raise unusable([FieldError(f"/{i}/{name}", detail, row=i)])
    return number


def _number(value: Any, i: int, name: str) -> float | None:
    """Return a number; what is none is refused by its row."""
    if value is None or (isinstance(value, str) and not trimmed(value)):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = repr(value)
    try:
        # Programs set no thousands apart, and may write three decimals.
        text = value.replace(",", ".") if isinstance(value, str) else ""
        return number_in(text)
    except ValueError as error:
        fault = FieldError(f"/{i}/{name}", str(error), row=i)
        raise unusable([fault]) from None
