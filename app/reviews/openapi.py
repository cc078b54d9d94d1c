"""How the interactive documentation tells bodies of several formats."""

from typing import Any

from app.reviews.caller_schemas import CasesRequest, OutcomesRequest

__all__ = ["CASES_BODY", "CSV", "IMPORT_BODY", "OUTCOMES_BODY", "add_schemas"]

CSV: dict[str, Any] = {
    "text/csv": {
        "schema": {"type": "string"},
        "example": "reference,label\nvisit-4711,yes\n",
    }
}

CASES_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {"$ref": "#/components/schemas/CasesRequest"},
            "example": {
                "model": "pima",
                "cases": [
                    {"reference": "v-1", "features": {"glucose": 120, "bmi": 31.0}}
                ],
            },
        }
    },
}

OUTCOMES_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {"$ref": "#/components/schemas/OutcomesRequest"},
            "example": {
                "model": "pima",
                "outcomes": [{"reference": "visit-4711", "label": "yes"}],
            },
        },
        **CSV,
    },
}

IMPORT_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["data"],
                    "properties": {
                        "data": {"type": "object"},
                        "annotations": {"type": "array", "items": {"type": "object"}},
                    },
                },
            },
            "example": [
                {
                    "data": {"reference": "visit-4711"},
                    "annotations": [
                        {
                            "completed_by": 1,
                            "lead_time": 21.5,
                            "result": [
                                {
                                    "from_name": "label",
                                    "to_name": "case",
                                    "type": "choices",
                                    "value": {"choices": ["yes"]},
                                }
                            ],
                        }
                    ],
                }
            ],
        },
        **CSV,
    },
}


def add_schemas(document: dict[str, Any]) -> None:
    """Add the schemas of cases and outcomes to an OpenAPI document, in place."""
    components = document.setdefault("components", {}).setdefault("schemas", {})
    for asked in (CasesRequest, OutcomesRequest):
        schema = asked.model_json_schema(ref_template="#/components/schemas/{model}")
        components.update(schema.pop("$defs", {}))
        components[asked.__name__] = schema
