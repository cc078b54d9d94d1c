"""Trainer kind -> estimator, and what a fitted one says about itself."""

from app.worker.fit.builders.base import Builder, Setting
from app.worker.fit.builders.boosting import (
    ABSTENTION_BOOSTING,
    ABSTENTION_TREES,
    ADABOOST,
    GRADIENT_BOOSTING,
)
from app.worker.fit.builders.kernel_machines import (
    DOUBLE_HINGE,
    HINGE,
    PROBABILISTIC_LABEL,
)

__all__ = ["BUILDERS", "Builder", "Setting"]

BUILDERS = {
    "double-hinge-svm": DOUBLE_HINGE,
    "abstention-boosting": ABSTENTION_BOOSTING,
    "abstention-trees": ABSTENTION_TREES,
    "p-svm": PROBABILISTIC_LABEL,
    "svm": HINGE,
    "adaboost": ADABOOST,
    "gradient-boosting": GRADIENT_BOOSTING,
}
