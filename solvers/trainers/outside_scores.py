"""Scores of any two-class classifier, on rows that it was not fitted on.

    f(x) = decision_function(x),     or     logit P(y = +1 | x)

A threshold chosen on rows that the scorer has seen is too bold. The log-odds are cut
off at probabilities of 1e-9 and 1 - 1e-9, so that they stay finite.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, NuSVC
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import has_fit_parameter

from solvers.threads import each_fold
from solvers.trainers.base import RejectOptionMixin

__all__ = [
    "FitRows",
    "check_scorer",
    "class_weight_of",
    "fit_on",
    "mean_rounds",
    "outside_scores",
    "positive_of",
    "rounds_in_common",
    "scores_of",
    "takes",
    "with_pos_label",
]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

_CERTAIN = 1e-9


def check_scorer(estimator: Any) -> None:
    """Raise where an estimator has no score that a rule can rely on.

    Raises
    ------
    TypeError
        When it is a class, or has neither ``decision_function`` nor ``predict_proba``.
    ValueError
        When it is, or contains, an SVC with ``probability=True``: its probabilities
        come from another fit and contradict its score.
    """
    if isinstance(estimator, type):
        name = estimator.__name__
        msg = f"{name} is a class: give an estimator, as in {name}()"
        raise TypeError(msg)
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


def positive_of(estimator: Any, pos_label: Any) -> Any:
    """Return the ``pos_label`` of a classifier, or of the estimator in it.

    Raises
    ------
    ValueError
        When both have one, and they differ.
    """
    inner = getattr(_last(estimator), "pos_label", None)
    if not isinstance(_last(estimator), RejectOptionMixin) or inner is None:
        return pos_label
    if pos_label is not None and pos_label != inner:
        msg = f"pos_label={pos_label!r}, but the estimator has pos_label={inner!r}"
        raise ValueError(msg)
    return inner


def with_pos_label(estimator: Any, label: Any) -> Any:
    """Return the estimator with this ``pos_label``, where it takes one."""
    last = _last(estimator)
    if not isinstance(last, RejectOptionMixin):
        return estimator
    labelled = clone(estimator)
    _last(labelled).set_params(pos_label=label)
    return labelled


def class_weight_of(estimator: Any) -> Any:
    """Return the class weights that an estimator is fitted with, or None."""
    return getattr(_last(estimator), "class_weight", None)


def _last(estimator: Any) -> Any:
    """Return the estimator, or the last step of a pipeline."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


@dataclass(frozen=True, slots=True, eq=False)
class FitRows:
    """Everything an estimator is fitted on.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
        (n_rows, n_rows) for an estimator that takes a kernel matrix.
    y : ndarray of shape (n_rows,)
    weights, groups : ndarray of shape (n_rows,) or None
        Passed on where ``fit`` takes ``sample_weight`` and ``groups``.
    """

    X: Any
    y: NDArray[Any]
    weights: Floats | None = None
    groups: NDArray[Any] | None = None


def takes(estimator: Any, name: str) -> bool:
    """Tell whether ``fit`` takes a parameter (a pipeline: its last step's)."""
    return bool(has_fit_parameter(_last(estimator), name))


def fit_on(
    estimator: Any,
    rows: FitRows,
    part: Rows,
    progress: Callable[[float, str], bool] | None = None,
) -> Any:
    """Return a clone fitted on a part of the rows.

    A trainer of this package reports to ``progress``, whose False stops the fit.
    """
    model = clone(estimator)
    if progress is not None:
        model._progress = progress  # noqa: SLF001 - the trainers' own channel
    X, y = _safe_split(model, rows.X, rows.y, part)
    given = {"sample_weight": rows.weights, "groups": rows.groups}
    passed = {
        _address(model, name): values[part]
        for name, values in given.items()
        if values is not None and takes(model, name)
    }
    return model.fit(X, y, **passed)


def _address(model: Any, name: str) -> str:
    """Return what ``fit`` calls a parameter: a routing pipeline finds its own way."""
    if not isinstance(model, Pipeline) or get_config()["enable_metadata_routing"]:
        return name
    return f"{model.steps[-1][0]}__{name}"


def rounds_in_common(
    estimator: Any,
    rows: FitRows,
    split: Sequence[tuple[Rows, Rows]],
    n_jobs: int | None = None,
    progress: Callable[[float, str], bool] | None = None,
) -> Any:
    """Return the estimator with one number of rounds, where it would stop early.

    Each model would stop at rounds of its own luck, sharper or flatter than those that
    its calibration has seen. So models of the folds tell the rounds, and all models are
    fitted on all of their rows with the mean, each fold counted by its rows.
    """
    booster = _last(estimator)
    stops = isinstance(booster, RejectOptionMixin) and hasattr(booster, "n_rounds")
    if not (stops and getattr(booster, "early_stopping", False)):
        return estimator

    def fold(train: Rows, test: Rows) -> tuple[int, int]:
        del test
        model = fit_on(estimator, rows, train, progress)
        return _last(model).n_rounds_, len(train)

    rounds, counted = zip(*each_fold(fold, split, n_jobs), strict=True)
    settled = clone(estimator)
    n_rounds = mean_rounds(rounds, counted)
    _last(settled).set_params(early_stopping=False, n_rounds=n_rounds)
    return settled


def mean_rounds(rounds: Sequence[int], counted: Sequence[float]) -> int:
    """Return the mean number of rounds of models, at least 1.

    Parameters
    ----------
    rounds : sequence of int
    counted : sequence of float
        The rows, or their weight, that each model was fitted on.
    """
    return max(round(float(np.average(rounds, weights=counted))), 1)


def outside_scores(
    estimator: Any,
    rows: FitRows,
    split: Iterable[tuple[Rows, Rows]],
    kept: Rows,
    n_jobs: int | None = None,
) -> tuple[Floats, Rows, Any]:
    """Return out-of-fold scores, their rows, and the model of the rows ``kept``.

    So many as ``n_jobs`` says are fitted at once, that model beside those of the folds.
    """

    def fold(train: Rows, test: Rows | None) -> Any:
        model = fit_on(estimator, rows, train)
        if test is None:
            return model
        X, _ = _safe_split(model, rows.X, rows.y, test, train)
        return scores_of(model, X), test

    *folds, model = each_fold(fold, [*split, (kept, None)], n_jobs)
    scores, places = zip(*folds, strict=True)
    return np.concatenate(scores), np.concatenate(places), model
