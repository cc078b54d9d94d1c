"""The columns that a batch adds to a file.

=====================  ========================================================
demur_decision         ``+1``, ``-1`` or ``reject``
demur_label            the user's label of the decision; empty when rejected
demur_score            the score f(x) or h(x)
demur_probability      of +1; empty where the model has none
demur_expected_cost    of the decision; empty without costs or probability
demur_reason           why a row was rejected: ``ambiguous``, or the guard
demur_would_be         the label that a forced answer would give
demur_warnings         kinds, with the column they speak of, between semicolons
demur_band             the band of confidence, where the model rates rows
demur_case             the case of a rejected row, where rejects are reviewed
=====================  ========================================================
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from app.artifacts.model import Labels
from app.artifacts.rating import Rating
from app.datasets.reading.faults import fault
from app.guards.guards import CAUSES
from app.predict.decided import Decided, Flags, Floats

__all__ = [
    "BAND",
    "CASE",
    "DECISIONS",
    "NAMES",
    "REASONS",
    "arrays",
    "bands_of",
    "check_free",
    "costs_of",
    "guards_of",
    "of_labels",
    "schema",
    "warnings_of",
]

_MEMBERS = (
    *("decision", "label", "score", "probability", "expected_cost"),
    *("reason", "would_be", "warnings"),
)
"""Those of a prediction of ``POST /predict`` that a cell of a table can hold."""
NAMES = tuple(f"demur_{member}" for member in _MEMBERS)
BAND = "demur_band"
CASE = "demur_case"
DECISIONS = pa.array(["-1", "reject", "+1"])
REASONS = pa.array(["ambiguous", *CAUSES])
_NOT_CHEAPEST = pa.array(["not_cheapest"])


def check_free(names: Iterable[str]) -> None:
    """Refuse a file that has one of these columns already."""
    for position, name in enumerate(names):
        if name in {*NAMES, BAND, CASE}:
            detail = "a batch adds a column of this name; rename it or leave it out"
            raise fault(detail, position=position, name=name)


def schema(
    labels: Labels, rating: Rating | None = None, *, cases: bool = False
) -> list[pa.Field]:
    """Return the fields of the columns, with those of bands and cases where wanted."""
    kind = of_labels(labels).type
    text, number = pa.string(), pa.float64()
    types = (text, kind, number, number, number, text, kind, text)
    fields = [pa.field(name, of) for name, of in zip(NAMES, types, strict=True)]
    if rating is not None:
        fields.append(pa.field(BAND, pa.int64()))
    return [*fields, pa.field(CASE, text)] if cases else fields


def arrays(
    decided: Decided, labels: Labels, rating: Rating | None = None
) -> list[pa.Array]:
    """Return the columns of decided rows, typed; but for that of cases."""
    columns = [
        column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        for column in _coded(decided, labels)
    ]
    return columns if rating is None else [*columns, bands_of(decided, rating)]


def bands_of(decided: Decided, rating: Rating) -> pa.Array:
    """Return the band of confidence of each row."""
    return pa.array(rating.of(decided.judged.scores), pa.int64())


def _coded(decided: Decided, labels: Labels) -> list[pa.Array]:
    """Return the columns, those of few values as codes into a dictionary."""
    both = of_labels(labels)
    decisions = decided.decisions
    rejected = decisions == 0
    positive = decided.forced.astype(np.int8)
    n = len(decisions)
    return [
        _codes(decisions + 1, DECISIONS),
        _codes(positive, both, absent=rejected),
        pa.array(decided.judged.scores),
        _numbers(decided.judged.probabilities, n),
        costs_of(decided),
        _codes(guards_of(decided), REASONS, absent=~rejected),
        _codes(positive, both),
        warnings_of(decided),
    ]


def costs_of(decided: Decided) -> pa.Array:
    """Return the expected cost of each decision; null where a row lacks a price."""
    costs, lacking = decided.expected_costs, decided.unpriced
    if costs is None or not len(lacking):
        return _numbers(costs, len(decided.decisions))
    return pa.array(costs, mask=np.isnan(costs))


def guards_of(decided: Decided) -> NDArray[np.int8]:
    """Return which guard rejects each row, as an index into ``REASONS``."""
    if decided.guarded is None:
        return np.zeros(len(decided.decisions), np.int8)
    return decided.guarded


def _codes(
    codes: NDArray[np.int8], values: pa.Array, absent: Flags | None = None
) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=absent), values)


def of_labels(labels: Labels) -> pa.Array:
    """Return the label of -1 and that of +1, as one column holds them."""
    both = (labels.negative, labels.positive)
    if any(isinstance(label, float) for label in both):
        both = (float(labels.negative), float(labels.positive))
    return pa.array(both)


def _numbers(values: Floats | None, n: int) -> pa.Array:
    return pa.nulls(n, pa.float64()) if values is None else pa.array(values)


def warnings_of(decided: Decided) -> pa.Array:
    """Return the kinds of warnings of each row, null where there is none."""
    flags = decided.not_cheapest
    if not decided.notes:
        return _codes(np.zeros(len(flags), np.int8), _NOT_CHEAPEST, absent=~flags)
    warnings: list[str | None] = ["not_cheapest" if flag else None for flag in flags]
    for row, notes in decided.notes.items():
        kinds = [f"{note.kind}: {note.column}" for note in notes]
        kinds += ["not_cheapest"] if warnings[row] else []
        warnings[row] = "; ".join(kinds)
    return pa.array(warnings, pa.string()).dictionary_encode()
