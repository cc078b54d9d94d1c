"""The outputs of V2: those of the convention, docs/reject-convention.md, version 1."""

from typing import Literal

import msgspec
import numpy as np

from app.predict.answer import NAMES, REASONS
from app.predict.in_arrays import Settled
from app.predict.ready_model import ReadyModel
from app.protocols.tensors import Values

__all__ = ["ON_REQUEST", "OUTPUTS", "OnReject", "absent_of", "outputs_of"]

_ENCODER = msgspec.json.Encoder()

OnReject = Literal["word", "force", "error"]

OUTPUTS = {
    "decision": "BYTES",
    "label": "BYTES",
    "reject": "BOOL",
    "probability": "FP64",
    "score": "FP64",
    "expected_cost": "FP64",
    "reason": "BYTES",
    "would_be": "BYTES",
    "band": "INT64",
    "case": "BYTES",
    "decision_code": "INT8",
    "costs": "FP64",
}
"""Names and datatypes, in order; the last two are sent on request only."""
ON_REQUEST = ("decision_code", "costs")


def outputs_of(settled: Settled, on_reject: OnReject) -> dict[str, Values]:
    """Return every output that the model has, on request or not."""
    decided, labels = settled.decided, settled.ready.model.labels
    rating = settled.ready.model.rating
    judged, decisions = decided.judged, decided.decisions
    rejected = decisions == 0
    sides = np.array([_text(labels.negative), _text(labels.positive)], object)
    would_be = sides[decided.forced.astype(np.intp)]
    label = would_be if on_reject == "force" else np.where(rejected, "", would_be)
    guards = np.zeros(len(decisions), np.intp)
    if decided.guarded is not None:
        guards = decided.guarded.astype(np.intp)
    reasons = np.array(REASONS, object)[guards]
    words = np.array([NAMES[-1], NAMES[0], NAMES[1]], object)
    outputs: dict[str, Values | None] = {
        "decision": words[decisions.astype(np.intp) + 1],
        "label": label,
        "reject": rejected,
        "probability": judged.probabilities,
        "score": judged.scores,
        "expected_cost": decided.expected_costs,
        "reason": np.where(rejected, reasons, ""),
        "would_be": would_be,
        "band": None if rating is None else rating.of(judged.scores),
        "case": None,
        "decision_code": decisions,
        "costs": None if decided.priced is None else np.column_stack(decided.priced),
    }
    if settled.cases is not None:
        outputs["case"] = [case or "" for case in settled.cases]
    return {name: values for name, values in outputs.items() if values is not None}


def _text(label: object) -> str:
    """Return a label as text, as JSON has it."""
    return label if isinstance(label, str) else _ENCODER.encode(label).decode()


def absent_of(ready: ReadyModel, *, reviewed: bool) -> set[str]:
    """Return the outputs that a model never has, or not without being asked."""
    absent = set(ON_REQUEST)
    if not ready.model.has_probability:
        absent |= {"probability", "expected_cost"}
    if ready.pricing.prices is None:
        absent.add("expected_cost")
    if ready.model.rating is None:
        absent.add("band")
    return absent if reviewed else absent | {"case"}
