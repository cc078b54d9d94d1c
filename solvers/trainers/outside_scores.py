"""Scores of any two-class classifier, on rows that it was not fitted on.

    f(x) = decision_function(x),     or     logit P(y = +1 | x)

A threshold chosen on rows that the scorer has seen is too bold. The log-odds are cut
off at probabilities of 1e-9 and 1 - 1e-9, so that they stay finite.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, NuSVC
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

__all__ = ["check_scorer", "fit_weighted", "scores_of", "takes_weights"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

_CERTAIN = 1e-9


def check_scorer(estimator: Any) -> None:
    """Raise where an estimator has no score that a rule can rely on.

    Raises
    ------
    TypeError
        When it has neither ``decision_function`` nor ``predict_proba``.
    ValueError
        When it is, or contains, an SVC with ``probability=True``: its probabilities
        come from another fit and contradict its score.
    """
    parts = [estimator]
    if hasattr(estimator, "get_params"):
        parts += list(estimator.get_params(deep=True).values())
    for part in parts:
        if isinstance(part, SVC | NuSVC) and part.probability is True:
            msg = (
                f"{type(part).__name__}(probability=True) fits a second model that"
                " contradicts its score; leave probability out: the scores are"
                " calibrated here"
            )
            raise ValueError(msg)
    if not any(hasattr(estimator, name) for name in _METHODS):
        msg = f"{type(estimator).__name__} has neither of {' and '.join(_METHODS)}"
        raise TypeError(msg)


_METHODS = ("decision_function", "predict_proba")


def scores_of(estimator: Any, X: Any) -> Floats:
    """Return the score of each row of a fitted two-class estimator, (n_rows,)."""
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
        if scores.ndim == 2 and scores.shape[1] == 1:
            scores = scores[:, 0]
    else:
        p = np.asarray(estimator.predict_proba(X), dtype=np.float64)[:, 1]
        p = np.clip(p, _CERTAIN, 1.0 - _CERTAIN)
        scores = np.log(p) - np.log1p(-p)
    if scores.ndim != 1:
        msg = f"a two-class score has shape (n_rows,), got {scores.shape}"
        raise ValueError(msg)
    return scores


def takes_weights(estimator: Any) -> bool:
    """Tell whether ``fit`` takes ``sample_weight`` (a pipeline: its last step's)."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return bool(has_fit_parameter(last, "sample_weight"))


def fit_weighted(estimator: Any, X: Any, y: Any, weights: Floats | None) -> Any:
    """Return a fitted clone; weights are passed on where they are taken."""
    model = clone(estimator)
    if weights is None or not takes_weights(model):
        return model.fit(X, y)
    if isinstance(model, Pipeline):
        return model.fit(X, y, **{f"{model.steps[-1][0]}__sample_weight": weights})
    return model.fit(X, y, sample_weight=weights)


def outside_scores(
    estimator: Any, X: Any, y: Any, weights: Floats | None, split: Iterable[Any]
) -> tuple[Floats, Rows]:
    """Return out-of-fold scores and the rows they belong to."""
    scores, rows = [], []
    for train, test in split:
        part = None if weights is None else weights[train]
        model = fit_weighted(
            estimator, _safe_indexing(X, train), _safe_indexing(y, train), part
        )
        scores.append(scores_of(model, _safe_indexing(X, test)))
        rows.append(np.asarray(test))
    return np.concatenate(scores), np.concatenate(rows)
