"""Randomised trees: extra trees and forests, which differ in how a tree is drawn."""

from typing import Annotated, Literal

from pydantic import Field

from app.train.base import TrainerChoice
from app.train.trainers.boosting import Depth

__all__ = ["ExtraTreesTrainer", "ForestTrainer", "RandomisedTrees"]


class RandomisedTrees(TrainerChoice):
    """What both kinds take."""

    n_trees: Annotated[int, Field(ge=1, le=2_000)] = 200
    max_depth: Depth | None = None
    """null: until leaves are pure or too small to split."""
    min_samples_leaf: Annotated[int, Field(ge=1, le=1_000_000)] = 2
    """Least rows in a leaf; with it a model's size falls."""
    max_features: Annotated[float, Field(ge=1e-6, le=1)] | None = None
    """Share of the encoded columns that a split looks at; null: the root of their
    number."""


class ExtraTreesTrainer(RandomisedTrees):
    """Trees of all rows with cuts drawn at random; a score rule adds the rejects."""

    kind: Literal["extra-trees"]


class ForestTrainer(RandomisedTrees):
    """Trees of rows drawn with replacement; a score rule adds the reject option."""

    kind: Literal["forest"]
