"""The rules by name; API schema, documentation and tests read this table.

To add a rule, write one class with ``kind``, ``fit``, ``decide`` and ``payload`` (see
``rules.base``) and name it here.
"""

from typing import Any

from solvers.errors import UnknownNameError
from solvers.rules.base import FittedByScores
from solvers.rules.bounded_abstention import BoundedAbstentionRule
from solvers.rules.bounded_cost import BoundedCostRule
from solvers.rules.bounded_error import BoundedErrorRule
from solvers.rules.expected_cost import ExpectedCostRule, SymmetricRule
from solvers.rules.mutual_information import MutualInformationRule
from solvers.rules.plug_in import (
    BartlettWegkampRule,
    ChowRule,
    EmbeddedRule,
    PlugInRule,
)

__all__ = ["RULES", "make_rule"]

RULES: dict[str, type[FittedByScores]] = {
    rule.kind: rule
    for rule in (
        PlugInRule,
        BartlettWegkampRule,
        EmbeddedRule,
        ChowRule,
        ExpectedCostRule,
        SymmetricRule,
        MutualInformationRule,
        BoundedAbstentionRule,
        BoundedErrorRule,
        BoundedCostRule,
    )
}


def make_rule(rule: Any, **parameters: Any) -> Any:
    """Return a rule from its registered name, or the given instance as it is.

    Parameters
    ----------
    rule : str or rule instance
    **parameters
        Constructor parameters, for a name only.

    Raises
    ------
    UnknownNameError
        When no rule has that name.
    ValueError
        When the rule of that name needs a parameter that is not given.
    TypeError
        When parameters come with an instance, or the object is no rule.
    """
    if isinstance(rule, str):
        if rule not in RULES:
            what = "rule"
            raise UnknownNameError(what, rule, tuple(RULES))
        owner = RULES[rule]
        missing = [p.name for p in owner.parameters() if p.required]
        missing = [name for name in missing if name not in parameters]
        if missing:
            needed = " and ".join(missing)
            msg = f"the rule {rule} needs {needed}: give an instance, {owner.__name__}"
            raise ValueError(msg + f"({missing[0]}=...)")
        return owner(**parameters)
    if isinstance(rule, type) or not (hasattr(rule, "fit") and hasattr(rule, "decide")):
        msg = f"a rule is a registered name or has fit and decide, got {rule!r}"
        raise TypeError(msg)
    if parameters:
        msg = f"{type(rule).__name__} is already made; it takes no {sorted(parameters)}"
        raise TypeError(msg)
    return rule
