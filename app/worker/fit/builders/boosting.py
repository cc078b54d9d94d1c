"""Boosters of stumps and of trees, and random trees: extra trees, forests."""

from collections.abc import Sequence
from typing import Any

from app.train.base import TrainerChoice
from app.worker.fit.builders.base import Builder, Facts, Setting, made_by, parameters
from solvers.trainers.abstention_boosting import AbstentionBoostingClassifier
from solvers.trainers.abstention_trees import AbstentionTreeBoostingClassifier
from solvers.trainers.adaboost import AdaBoostStumpClassifier
from solvers.trainers.gradient_boosting import GradientBoostingRejectClassifier
from solvers.trainers.randomised_trees import RandomisedTreesRejectClassifier

__all__ = [
    "ABSTENTION_BOOSTING",
    "ABSTENTION_TREES",
    "ADABOOST",
    "EXTRA_TREES",
    "FOREST",
    "GRADIENT_BOOSTING",
]


def importance(booster: Any, names: Sequence[str]) -> Facts:
    """Return what each column does to the score and to rejection, by name.

    The boosters read missing values and codes of categories themselves, so encoded
    columns are the user's own.
    """
    return {
        part: dict(zip(names, (values + 0.0).tolist(), strict=True))  # no -0.0
        for part, values in booster.importance_.items()
    }


def _stump_facts(booster: Any, names: Sequence[str]) -> Facts:
    return {
        "stumps": len(booster.stumps_),
        "rounds": int(booster.n_rounds_),
        "objective": float(booster.objective_path_[-1]),
        "importance": importance(booster, names),
    }


def _abstention_stumps(trainer: TrainerChoice, setting: Setting) -> Any:
    costs, chosen = setting.costs, parameters(trainer)
    if costs is None or chosen["surrogate"] != "max":
        return made_by(AbstentionBoostingClassifier)(trainer, setting)
    # Symmetric (others are refused before), so one number in units of an error.
    price = costs.reject_positive / costs.false_positive
    return AbstentionBoostingClassifier(cost=price, random_state=setting.seed, **chosen)


def _tree_facts(booster: Any, names: Sequence[str]) -> Facts:
    return {
        "trees": int(booster.n_rounds_),
        "importance": importance(booster, names),
    }


def _random_tree_facts(model: Any, names: Sequence[str]) -> Facts:
    del names  # the version's influence tells what the columns do
    return {
        "trees": model.n_trees,
        "nodes": len(model.scorer_payload()["trees"]["left"]),
    }


ABSTENTION_BOOSTING = Builder(
    _abstention_stumps, _stump_facts, missing_native=True, keeps_apart=True
)
ADABOOST = Builder(made_by(AdaBoostStumpClassifier), _stump_facts, missing_native=True)
ABSTENTION_TREES = Builder(
    made_by(AbstentionTreeBoostingClassifier),
    _tree_facts,
    missing_native=True,
    keeps_apart=True,
)
GRADIENT_BOOSTING = Builder(
    made_by(GradientBoostingRejectClassifier),
    _tree_facts,
    missing_native=True,
    keeps_apart=True,
)
EXTRA_TREES, FOREST = (
    Builder(made_by(RandomisedTreesRejectClassifier, trees=kind), _random_tree_facts)
    for kind in ("extra-trees", "forest")
)
