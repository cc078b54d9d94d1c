"""Classifiers that may answer "reject": solvers, rules and the arithmetic between.

The public names are imported on first use (PEP 562), so that a process which only
scores and decides loads neither numba nor scikit-learn.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "AbstentionBoostingClassifier": "solvers.trainers.abstention_boosting",
    "AbstentionTreeBoostingClassifier": "solvers.trainers.abstention_trees",
    "AdaBoostStumpClassifier": "solvers.trainers.adaboost",
    "EnsembleRejectClassifier": "solvers.trainers.ensemble",
    "GradientBoostingRejectClassifier": "solvers.trainers.gradient_boosting",
    "TwoStepBoostingClassifier": "solvers.trainers.two_step_boosting",
    "c_path": "solvers.trainers.path",
    "CostMatrix": "solvers.costs",
    "DoubleHingeSVC": "solvers.trainers.svm",
    "HingeSVC": "solvers.trainers.svm",
    "LogisticRejectClassifier": "solvers.trainers.logistic",
    "MultiHingeSVC": "solvers.trainers.multi_hinge",
    "ProbabilisticLabelSVC": "solvers.trainers.psvm",
    "RandomisedTreesRejectClassifier": "solvers.trainers.randomised_trees",
    "ReducedSetSVC": "solvers.trainers.reduced_set",
    "RejectOptionClassifier": "solvers.trainers.meta",
    "RowCosts": "solvers.costs",
    "StreamedRows": "solvers.boosting.streamed",
    "decide": "solvers.trainers.cost_scorer",
    "make_cost_scorer": "solvers.trainers.cost_scorer",
    "errors": "solvers",
    "rules": "solvers",
    "metrics": "solvers",
    "display": "solvers",
    "calibration": "solvers",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - sorted() gives the list that is meant


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        msg = f"module 'solvers' has no attribute {name!r}"
        raise AttributeError(msg)
    if home == "solvers":
        return import_module(f"solvers.{name}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
