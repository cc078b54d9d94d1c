"""Boosters of stumps: joint ones (h, r), and AdaBoost."""

from collections.abc import Sequence
from typing import Any

from app.train.trainers.boosting import AbstentionBoostingTrainer, AdaBoostTrainer
from app.worker.fit.builders.base import Builder, Facts, Setting
from solvers.trainers.abstention_boosting import AbstentionBoostingClassifier
from solvers.trainers.adaboost import AdaBoostStumpClassifier

__all__ = ["ABSTENTION_BOOSTING", "ADABOOST"]


def importance(booster: Any, names: Sequence[str]) -> Facts:
    """Return what each column does to the score and to rejection, by name."""
    return {
        part: dict(zip(names, map(float, values), strict=True))
        for part, values in booster.importance_.items()
    }


def _stump_facts(booster: Any, names: Sequence[str]) -> Facts:
    return {
        "stumps": len(booster.stumps_),
        "rounds": int(booster.n_rounds_),
        "objective": float(booster.objective_path_[-1]),
        "importance": importance(booster, names),
    }


def _abstention_stumps(trainer: AbstentionBoostingTrainer, setting: Setting) -> Any:
    chosen = {**trainer.model_dump(exclude={"kind"}), "random_state": setting.seed}
    costs = setting.costs
    if costs is None or trainer.surrogate != "max":
        return AbstentionBoostingClassifier(costs=costs, **chosen)
    # Symmetric (others are refused before), so one number in units of an error.
    price = costs.reject_positive / costs.false_positive
    return AbstentionBoostingClassifier(cost=price, **chosen)


def _adaboost(trainer: AdaBoostTrainer, setting: Setting) -> Any:
    del setting  # AdaBoost knows no prices and draws nothing
    return AdaBoostStumpClassifier(**trainer.model_dump(exclude={"kind"}))


ABSTENTION_BOOSTING = Builder(_abstention_stumps, _stump_facts, missing_native=True)
ADABOOST = Builder(_adaboost, _stump_facts, missing_native=True)
