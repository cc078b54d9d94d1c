"""From scikit-learn's histogram-gradient-boosted trees to the data that scores them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

__all__ = ["histogram_trees_payload"]

_NO_NODES = np.empty(0, dtype=PREDICTOR_RECORD_DTYPE)
_NO_SETS = np.empty((0, 8), dtype=np.uint32)


def histogram_trees_payload(model: HistGradientBoostingClassifier) -> dict[str, Any]:
    """Return a fitted two-class model as the plain data that scores it.

    Parameters
    ----------
    model : HistGradientBoostingClassifier
        Fitted on numbers; categorical columns hold numbers too.

    Returns
    -------
    dict
        See ``HistogramTreesScorer``.
    """
    columns, categories = _columns(model)
    grown = model._predictors  # noqa: SLF001 - fitted trees have no public form
    base = model._baseline_prediction  # noqa: SLF001 - nor has what they add to
    trees = [of_round[0] for of_round in grown]
    nodes = np.concatenate([tree.nodes for tree in trees] or [_NO_NODES])
    sizes = np.array([len(tree.nodes) for tree in trees], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    offset = np.repeat(starts, sizes)
    leaf = nodes["is_leaf"].astype(bool)
    by_category = nodes["is_categorical"].astype(bool) & ~leaf
    tables = np.cumsum([0, *(len(tree.raw_left_cat_bitsets) for tree in trees)])
    table_offset = np.repeat(tables[:-1], sizes)
    bitsets = np.concatenate([_NO_SETS, *(tree.raw_left_cat_bitsets for tree in trees)])
    bits = (bitsets[:, :, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)
    return {
        "kind": "histogram-gradient-boosting",
        "n_features": int(model.n_features_in_),
        "baseline": float(np.ravel(base)[0]),
        "categories": categories,
        "trees": {
            "feature": columns[nodes["feature_idx"]].astype(np.int32),
            "threshold": nodes["num_threshold"].astype(np.float64),
            "left": np.where(leaf, -1, nodes["left"] + offset).astype(np.int64),
            "right": np.where(leaf, -1, nodes["right"] + offset).astype(np.int64),
            "missing_left": nodes["missing_go_to_left"].astype(bool),
            "value": nodes["value"].astype(np.float64),
            "category": np.where(by_category, nodes["bitset_idx"] + table_offset, -1),
            "left_codes": bits.reshape(-1, 256).astype(bool),
            "roots": starts.astype(np.int64),
        },
    }


def _columns(
    model: HistGradientBoostingClassifier,
) -> tuple[NDArray[np.int64], list[tuple[int, NDArray[np.float64]]]]:
    """Return the table's column of each of the model's, and the categories' values.

    The model moves its categorical columns ahead of the others.
    """
    n_features = model.n_features_in_
    if model.is_categorical_ is None:
        return np.arange(n_features), []
    of_category = np.flatnonzero(model.is_categorical_)
    columns = np.concatenate((of_category, np.flatnonzero(~model.is_categorical_)))
    before = model._preprocessor  # noqa: SLF001 - nor have the categories
    encoder = before.named_transformers_["encoder"]
    categories = []
    for column, values in zip(of_category, encoder.categories_, strict=True):
        numbers = np.asarray(values, dtype=np.float64)
        categories.append((int(column), numbers[~np.isnan(numbers)]))
    return columns, categories
