"""What the documentation says of answers to POST /predict, in each layout."""

from typing import Any

__all__ = ["ANSWER_SCHEMA", "CHOSEN_SCHEMA", "COLUMNS_SCHEMA", "COSTS"]

_BY_COLUMN = {
    "type": "object",
    "additionalProperties": False,
    "required": ["column"],
    "properties": {
        "column": {"type": "string"},
        "times": {"type": "number", "exclusiveMinimum": 0, "default": 1},
    },
}
COSTS: dict[str, Any] = {
    "type": "object",
    "description": "The four prices of a decision; a correct one costs 0. Rejecting"
    " must be able to pay off: false_positive * reject_positive + false_negative *"
    " reject_negative < false_positive * false_negative. Under the rule `chow` a price"
    " may follow a column of numbers that the model reads: each row is then decided at"
    " its own.",
    "additionalProperties": False,
    "required": [
        "false_positive",
        "false_negative",
        "reject_positive",
        "reject_negative",
    ],
    "properties": {
        name: {
            "anyOf": [{"type": "number", "exclusiveMinimum": 0}, _BY_COLUMN],
            "description": words,
        }
        for name, words in (
            ("false_positive", 'Calling a true -1 "+1".'),
            ("false_negative", 'Calling a true +1 "-1".'),
            ("reject_positive", "Rejecting a true +1."),
            ("reject_negative", "Rejecting a true -1."),
        )
    },
}

_NUMBER_OR_NULL = {"type": ["number", "null"]}
_LABEL = {"type": ["string", "number", "boolean"]}


def _all_of(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the schema of an object that has all these members and no others."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
        **more,
    }


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


_TERMS = {"type": "object", "additionalProperties": {"type": "number"}}

EXPLANATION = _all_of(
    {
        "h": {
            **_TERMS,
            "description": "What each column adds to the score; with the intercept"
            " they add up to it.",
        },
        "r": {
            **_or_null(_TERMS),
            "description": "What each column adds to the rejector; with the intercept"
            " they add up to `reject_score`. Null where none is learnt.",
        },
        "intercept": _all_of(
            {"h": {"type": "number"}, "r": _NUMBER_OR_NULL},
            description="Where the sums begin: what a typical row has (medians, and"
            " the most frequent categories, of the training rows); for ensembles of"
            " stumps what no column adds.",
        ),
        "reject_score": {
            **_NUMBER_OR_NULL,
            "description": "r of the row: the rule `embedded` rejects where it is not"
            " positive.",
        },
        "exact": {
            "type": "boolean",
            "description": "False where the terms are means over orders of the columns"
            " that were drawn, the same for every row.",
        },
    },
    description="Only where the request says `explain`.",
)

PREDICTION = _all_of(
    {
        "decision": {"enum": ["+1", "-1", "reject"]},
        "label": {
            "type": ["string", "number", "boolean", "null"],
            "description": "Your label for the decision; null when rejected.",
        },
        "score": {"type": "number"},
        "probability": {
            "type": ["number", "null"],
            "minimum": 0,
            "maximum": 1,
            "description": "Of +1, calibrated on scores of rows left out of training;"
            " with `abstention-trees` on the log-odds that score and rejector imply.",
        },
        "expected_cost": {
            **_NUMBER_OR_NULL,
            "description": "Of the decision taken, at this probability.",
        },
        "expected_costs": _or_null(
            _all_of({name: {"type": "number"} for name in ("+1", "-1", "reject")})
        ),
        "reason": {
            "enum": [
                None,
                "ambiguous",
                "outlier",
                "unseen_category",
                "missing_value",
                "missing_price",
            ],
            "description": "Why the row was rejected.",
        },
        "would_be": {**_LABEL, "description": "What a forced answer would be."},
        "distances": _or_null(
            _all_of(
                {"lower": _NUMBER_OR_NULL, "upper": _NUMBER_OR_NULL},
                description="The score (or probability) minus each threshold.",
            )
        ),
        "warnings": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Each begins with its kind: unseen_category,"
            " missing_value, far_outside or not_cheapest.",
        },
    },
    title="Prediction",
)
PREDICTION["properties"]["explanation"] = EXPLANATION
PREDICTION["properties"]["band"] = {
    "type": ["integer", "null"],
    "minimum": 0,
    "description": "The band of confidence that the machine's own score puts the row"
    " in, only where the model rates rows (`multi-hinge-svm`): how many of the answer's"
    " `bands` lie below its probability of +1.",
}
PREDICTION["properties"]["case"] = {
    "type": ["string", "null"],
    "description": "The case of a rejected row, where the model has a review policy.",
}


def _answer(predictions: dict[str, Any], title: str) -> dict[str, Any]:
    """Return the schema of an answer around its predictions."""
    whole = _all_of({**_HEAD, "predictions": predictions, **_TAIL}, title=title)
    whole["properties"] = {**whole["properties"], "bands": _BANDS}
    return whole


_HEAD = {
    "model": _all_of(
        {
            "name": {"type": "string"},
            "version": {"type": "integer", "minimum": 1},
        }
    ),
    "costs": _or_null(COSTS),
    "thresholds": _or_null(
        _all_of(
            {
                "lower": _NUMBER_OR_NULL,
                "upper": _NUMBER_OR_NULL,
                "on": {"enum": ["score", "probability"]},
                "always": {"enum": [None, "+1", "-1", "reject"]},
            },
            description="Below lower: -1. Above upper: +1. Null: there is none, so"
            " nothing is called so; always: every row is.",
        )
    ),
}
_BANDS = {
    "type": "array",
    "items": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "description": "The probabilities of +1 between the bands of confidence, only where"
    " the model rates rows.",
}
_TAIL = {
    "summary": _all_of(
        {
            "n": {"type": "integer", "minimum": 0},
            "accepted": {"type": "integer", "minimum": 0},
            "rejected": {"type": "integer", "minimum": 0},
            "expected_cost": {
                **_NUMBER_OR_NULL,
                "description": "Mean of the rows.",
            },
        }
    ),
}

ANSWER_SCHEMA = _answer({"type": "array", "items": PREDICTION}, "PredictAnswer")

CHOSEN_SCHEMA = _answer(
    {"type": "array", "items": {**PREDICTION, "title": "Chosen", "required": []}},
    "PredictChosen",
)
"""The answer where the request says ``fields``."""


def _columns(member: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": member}


def _parts(*names: str) -> dict[str, Any]:
    return _or_null(_all_of({name: _columns(_NUMBER_OR_NULL) for name in names}))


COLUMNS_SCHEMA = _answer(
    {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            **{
                name: _or_null(_columns(member))
                for name, member in PREDICTION["properties"].items()
            },
            "expected_costs": _parts("+1", "-1", "reject"),
            "distances": _parts("lower", "upper"),
        },
        "description": "Lists of one value a row; null where the model has nothing of"
        " the kind. All members, or the `fields` of the request.",
    },
    "PredictColumns",
)
"""The answer in the layout ``columns``."""
