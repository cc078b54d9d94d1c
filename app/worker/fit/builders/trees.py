"""Extra trees and forests."""

from collections.abc import Sequence
from typing import Any

from app.worker.fit.builders.base import Builder, Facts, made_by
from solvers.trainers.randomised_trees import RandomisedTreesRejectClassifier

__all__ = ["EXTRA_TREES", "FOREST"]


def _facts(model: Any, names: Sequence[str]) -> Facts:
    del names  # the version's influence tells what the columns do
    return {
        "trees": model.n_trees,
        "nodes": len(model.scorer_payload()["trees"]["left"]),
    }


EXTRA_TREES, FOREST = (
    Builder(made_by(RandomisedTreesRejectClassifier, trees=kind), _facts)
    for kind in ("extra-trees", "forest")
)
