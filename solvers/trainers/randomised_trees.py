"""Extra trees and forests: scikit-learn's, exported as plain data.

Trees of all rows with cuts drawn at random (extra trees, Geurts et al. 2006), or of
rows drawn with replacement with the best cuts of some columns (forest, Breiman 2001).
The score is the log-odds of the mean of the leaves' shares, kept finite, see
``RandomisedTreesScorer``; which rows are rejected is the matter of a rule on top.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from solvers.declarations import TRAINERS
from solvers.errors import Interrupted
from solvers.scoring.randomised_trees import RandomisedTreesScorer
from solvers.trainers.base import LogOddsMixin, MissingValuesMixin
from solvers.trainers.boosting_rows import FitsRows, TrainingRows

__all__ = ["RandomisedTreesRejectClassifier"]

_GROWN = {"extra-trees": ExtraTreesClassifier, "forest": RandomForestClassifier}
_AT_ONCE = 25
"""Trees between two reports."""


@dataclass(eq=False, repr=False)
class RandomisedTreesRejectClassifier(
    FitsRows, MissingValuesMixin, LogOddsMixin, BaseEstimator
):
    """A mean of random trees; ``decide`` never rejects, a rule comes on top.

    Parameters
    ----------
    trees : {"extra-trees", "forest"}, default="extra-trees"
    n_trees : int, default=200
    max_depth : int or None, default=None
        None: until leaves are pure or too small to split.
    min_samples_leaf : int, default=2
        Rows, whatever their weight.
    max_features : float or None, default=None
        Share of the columns that a split looks at; None: the root of their number.
    random_state, pos_label
        As for ``AbstentionBoostingClassifier``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    """

    trees: str = "extra-trees"
    n_trees: int = 200
    max_depth: int | None = None
    min_samples_leaf: int = 2
    max_features: float | None = None
    random_state: Any = 0
    pos_label: Any = None

    def _check_parameters(self) -> None:
        if self.trees not in _GROWN:
            msg = f"trees must be one of {', '.join(_GROWN)}, got {self.trees!r}"
            raise ValueError(msg)
        TRAINERS["forest"].check(self)

    def _fit_rows(self, rows: TrainingRows) -> None:
        model = self._peer()
        # Equal weights are left out: the leaves' shares are then those of counts.
        weight = None if (rows.weight == 1.0).all() else rows.weight
        progress = getattr(self, "_progress", None)
        while (grown := len(getattr(model, "estimators_", ()))) < self.n_trees:
            message = f"tree {grown + 1} of {self.n_trees}"
            if progress is not None and not progress(grown / self.n_trees, message):
                raise Interrupted(message)
            model.n_estimators = min(grown + _AT_ONCE, self.n_trees)
            model.fit(rows.X, rows.y, weight)
        self._scorer = RandomisedTreesScorer(_payload(model))

    def _peer(self) -> Any:
        """Return the peer's trees, unfitted, with these parameters."""
        share = self.max_features
        return _GROWN[self.trees](
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            max_features="sqrt" if share is None else float(share),
            random_state=self.random_state,
            warm_start=True,
        )


def _payload(model: Any) -> dict[str, Any]:
    """Return a fitted two-class model as the plain data that scores it."""
    trees = [one.tree_ for one in model.estimators_]
    sizes = np.array([tree.node_count for tree in trees])
    starts = np.cumsum(sizes) - sizes
    offset = np.repeat(starts, sizes)

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(tree, name) for tree in trees])

    left, right = joined("children_left"), joined("children_right")
    leaf = left < 0
    return {
        "kind": "randomised-trees",
        "n_features": int(model.n_features_in_),
        "trees": {
            "feature": np.where(leaf, 0, joined("feature")).astype(np.int32),
            "threshold": joined("threshold"),
            "left": np.where(leaf, -1, left + offset).astype(np.int32),
            "right": np.where(leaf, -1, right + offset).astype(np.int32),
            "missing_left": joined("missing_go_to_left").astype(bool),
            "value": np.where(leaf, joined("value")[:, 0, 1], 0.0),
            "category": np.full(len(left), -1, dtype=np.int8),
            "left_codes": np.zeros((0, 256), dtype=bool),
            "roots": starts.astype(np.int64),
        },
    }
