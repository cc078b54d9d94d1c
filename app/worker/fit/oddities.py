"""What looks wrong in the columns of a training, told by column, place and way out.

Values far outside the rest, a text among numbers, numbers that are texts, dates,
columns that tell no rows apart.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from numpy.typing import NDArray

from app.datasets.reading.amounts import amounts
from app.datasets.reading.facts import DECIMALS
from app.features.columns import EXACT
from app.features.extremes import Extremes, outside
from app.features.table import Table
from app.features.values import trimmed
from app.train.target import Sample
from solvers.metrics.inputs import is_missing

__all__ = ["oddities"]

_MANY, _MOST = 10, 9  # numbers, and numbers for each other text, that are told
_FEW = 20
"""Different numbers that may be codes."""
_NAMED = 5
"""Columns that are named where many are alike."""


def oddities(
    table: Table, sample: Sample, columns: Sequence[str] | None = None
) -> list[str]:
    """Return a warning for each column that may not be what its user meant.

    Parameters
    ----------
    table : Table
        All rows of the training.
    sample : Sample
    columns : sequence of str, optional
        Those that the trainer reads; every feature, and the dates that are none, where
        left out.
    """
    warnings = [
        f"column {name!r} holds dates and is no feature: new rows bring other ones."
        " Name it by evaluation.order_by to train on the past (it takes dates such as"
        " 2024-12-31), or send numbers made of it (days since an event,"
        " the month, the hour)"
        for name in sample.dates
    ]
    names = sample.features if columns is None else columns
    warnings += _alike([name for name in names if _is_constant(table.columns[name])])
    for name in names:
        if table.types[name] == "numeric":
            extremes = Extremes()
            extremes.see(table.columns[name])
            text = outside(name, extremes.odd())
        else:
            text = _of_texts(table, name)
        warnings += [] if text is None else [text]
    return warnings


def _is_constant(cells: NDArray[Any]) -> bool:
    """Tell whether every row has the same value, or none has any."""
    return bool(
        (is_missing(cells) if is_missing(cells[:1])[0] else cells == cells[0]).all()
    )


def _alike(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    listed = ", ".join(map(repr, names[:_NAMED])) + more
    return [
        f"the same value, or none, stands in all rows of {listed}: nothing is learnt of"
        " it; leave it out"
    ]


def _of_texts(table: Table, name: str) -> str | None:
    if table.types[name] != "categorical":
        return None
    cells = table.columns[name].tolist()
    counts = Counter(cell for cell in cells if cell is not None)
    numbers = _numbers(list(counts))
    n = sum(counts[text] for text in numbers)
    others = counts.total() - n
    if others and n >= max(_MANY, _MOST * others):
        row = next(i for i, c in enumerate(cells) if c is not None and c not in numbers)
        return (
            f"column {name!r} is text, though {n} of its {n + others} values are"
            f" numbers: row {row} has the first that is none; correct it, or name the"
            " mark by missing="
        )
    large = (i for i, c in enumerate(cells) if c is not None and _is_large(c))
    if not others and len(numbers) > _FEW and (place := next(large, None)) is not None:
        return (
            f"column {name!r} is text: row {place} has the first whole number of more"
            " digits than a float64 keeps; written with a decimal point (.0) it is"
            " read as a number, rounded"
        )
    coded = any(text.isdecimal() and text.startswith("0") for text in numbers - {"0"})
    if not others and len(numbers) > _FEW and not coded:
        return (
            f"column {name!r} is text, though all of its {n} values are numbers, so"
            " each of them is a category: send numbers, or a CSV file, in which"
            " decimal commas, thousands, percent signs and currencies are read"
        )
    return None


def _is_large(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isdecimal() and float(digits) >= EXACT


def _numbers(texts: list[str]) -> set[str]:
    """Return those of some texts that are numbers, as people write them too."""
    values = amounts(pa.array(map(trimmed, texts), pa.string()))
    read = [(values.plain(mark), values.grouped(mark)) for mark in DECIMALS]
    rows = zip(
        texts, *(each.to_pylist() for pair in read for each in pair), strict=True
    )
    return {text for text, *fitting in rows if any(fitting)}
