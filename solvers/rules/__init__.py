"""Reject rules: from a score to +1, -1 or reject.

The classes are imported on first use (PEP 562): deciding needs ``rules.band`` alone.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "Band": "band",
    "BoundedAbstentionRule": "bounded_abstention",
    "MutualInformationRule": "mutual_information",
    "band_at_costs": "repricing",
    "prevalence_weights": "repricing",
    "SymmetricRule": "expected_cost",
    "BartlettWegkampRule": "plug_in",
    "BoundedCostRule": "bounded_cost",
    "BoundedErrorRule": "bounded_error",
    "check_promise": "promise",
    "ChowRule": "plug_in",
    "EmbeddedRule": "plug_in",
    "ExpectedCostRule": "expected_cost",
    "PlugInRule": "plug_in",
    "RULES": "registry",
    "make_rule": "registry",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - sorted() gives the list that is meant


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        msg = f"module 'solvers.rules' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"solvers.rules.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
