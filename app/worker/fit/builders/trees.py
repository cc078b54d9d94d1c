"""Extra trees and forests."""

from collections.abc import Sequence
from typing import Any

from app.train.trainers.trees import ExtraTreesTrainer, ForestTrainer
from app.worker.fit.builders.base import Builder, Facts, Setting, parameters
from solvers.trainers.randomised_trees import RandomisedTreesRejectClassifier

__all__ = ["RANDOMISED_TREES"]


def _trees(trainer: ExtraTreesTrainer | ForestTrainer, setting: Setting) -> Any:
    return RandomisedTreesRejectClassifier(
        trees=trainer.kind,
        random_state=setting.seed,
        **parameters(trainer),
    )


def _facts(model: Any, names: Sequence[str]) -> Facts:
    del names  # the version's influence tells what the columns do
    return {
        "trees": model.n_trees,
        "nodes": len(model.scorer_payload()["trees"]["left"]),
    }


RANDOMISED_TREES = Builder(_trees, _facts)
