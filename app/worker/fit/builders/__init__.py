"""Trainer kind -> estimator, and what a fitted one says about itself."""

from app.worker.fit.builders.base import Builder, Setting
from app.worker.fit.builders.boosting import ABSTENTION_BOOSTING, ADABOOST
from app.worker.fit.builders.kernel_machines import (
    DOUBLE_HINGE,
    HINGE,
    PROBABILISTIC_LABEL,
)

__all__ = ["BUILDERS", "Builder", "Setting"]

BUILDERS = {
    "double-hinge-svm": DOUBLE_HINGE,
    "abstention-boosting": ABSTENTION_BOOSTING,
    "p-svm": PROBABILISTIC_LABEL,
    "svm": HINGE,
    "adaboost": ADABOOST,
}
