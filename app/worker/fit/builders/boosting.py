"""Boosters of stumps: joint ones (h, r), and AdaBoost."""

from collections.abc import Sequence
from typing import Any

from app.train.trainers.boosting import AbstentionBoostingTrainer
from app.worker.fit.builders.base import Builder, Facts
from solvers.costs import CostMatrix
from solvers.trainers.abstention_boosting import AbstentionBoostingClassifier

__all__ = ["ABSTENTION_BOOSTING"]


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


def _abstention_stumps(
    trainer: AbstentionBoostingTrainer, costs: CostMatrix | None, seed: int
) -> Any:
    chosen = trainer.model_dump(exclude={"kind"})
    if costs is None or trainer.surrogate != "max":
        return AbstentionBoostingClassifier(costs=costs, random_state=seed, **chosen)
    # Symmetric (others are refused before), so one number in units of an error.
    price = costs.reject_positive / costs.false_positive
    return AbstentionBoostingClassifier(cost=price, random_state=seed, **chosen)


ABSTENTION_BOOSTING = Builder(_abstention_stumps, _stump_facts, missing_native=True)
