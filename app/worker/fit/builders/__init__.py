"""Trainer kind -> estimator, and what a fitted one says about itself."""

from app.worker.fit.builders.base import Builder, Setting
from app.worker.fit.builders.boosting import (
    ABSTENTION_BOOSTING,
    ABSTENTION_TREES,
    ADABOOST,
    EXTRA_TREES,
    FOREST,
    GRADIENT_BOOSTING,
)
from app.worker.fit.builders.ensemble import ENSEMBLE
from app.worker.fit.builders.kernel_machines import (
    DOUBLE_HINGE,
    HINGE,
    LOGISTIC,
    MULTI_HINGE,
    PROBABILISTIC_LABEL,
)
from app.worker.fit.builders.scores import SCORES

__all__ = ["BUILDERS", "Builder", "Setting"]

BUILDERS = {
    "double-hinge-svm": DOUBLE_HINGE,
    "abstention-boosting": ABSTENTION_BOOSTING,
    "abstention-trees": ABSTENTION_TREES,
    "p-svm": PROBABILISTIC_LABEL,
    "svm": HINGE,
    "multi-hinge-svm": MULTI_HINGE,
    "adaboost": ADABOOST,
    "gradient-boosting": GRADIENT_BOOSTING,
    "logistic": LOGISTIC,
    "extra-trees": EXTRA_TREES,
    "forest": FOREST,
    "ensemble": ENSEMBLE,
    "auto": ENSEMBLE,
    "scores": SCORES,
}
