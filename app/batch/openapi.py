"""How the interactive documentation tells a batch."""

from typing import Any

__all__ = ["BATCH_ANSWER", "BATCH_BODY"]

_SENT = "patient,glucose,bmi\na17,120,31.0\nb02,99,\n"
_ANSWERED = (
    "patient,glucose,bmi,demur_decision,demur_label,demur_score,demur_probability,"
    "demur_expected_cost,demur_reason,demur_would_be,demur_warnings\n"
    "a17,120,31.0,reject,,0.12,0.53,0.3,ambiguous,yes,\n"
    "b02,99,,reject,,-1.3,0.12,0.3,missing_value,no,missing_value: bmi\n"
)
_BINARY = {"schema": {"type": "string", "format": "binary"}}


def _content(example: str) -> dict[str, Any]:
    return {
        "text/csv": {"example": example},
        "application/vnd.apache.parquet": _BINARY,
        "application/vnd.apache.arrow.stream": _BINARY,
        "application/vnd.apache.arrow.file": _BINARY,
    }


BATCH_BODY: dict[str, Any] = {"required": True, "content": _content(_SENT)}

BATCH_ANSWER: dict[str, Any] = {
    "description": "The file that was sent, its rows in order, with these columns"
    " behind its own: demur_decision, demur_label, demur_score, demur_probability,"
    " demur_expected_cost, demur_reason, demur_would_be, demur_warnings; where the"
    " model rates rows, demur_band; where its rejects are reviewed, demur_case",
    "content": _content(_ANSWERED),
    "headers": {
        "Demur-Model": {
            "description": "The version that answered, as name:version.",
            "schema": {"type": "string"},
        },
        "Demur-Rows": {
            "description": "How many rows were answered.",
            "schema": {"type": "integer"},
        },
        "Demur-Rejected": {
            "description": "How many of them were rejected.",
            "schema": {"type": "integer"},
        },
        "Demur-Warned": {
            "description": "How many of them have warnings (demur_warnings).",
            "schema": {"type": "integer"},
        },
        "Demur-Notes": {
            "description": "What is to be said of how a text file was read, as the"
            " notes of a data set; left out where there is nothing.",
            "content": {
                "application/json": {
                    "schema": {"type": "array", "items": {"type": "string"}}
                }
            },
        },
    },
}
