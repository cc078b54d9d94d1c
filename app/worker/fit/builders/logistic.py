"""Logistic regression, and the weight that it gives to each encoded column."""

from collections.abc import Sequence
from typing import Any

from app.worker.fit.builders.base import Builder, Facts, made_by
from solvers.trainers.logistic import LogisticRejectClassifier

__all__ = ["LOGISTIC"]


def _facts(machine: Any, names: Sequence[str]) -> Facts:
    return {
        "coefficients": dict(zip(names, machine.coef_[0].tolist(), strict=True)),
        "intercept": float(machine.intercept_[0]),
        "iterations": machine.n_iter_,
    }


LOGISTIC = Builder(made_by(LogisticRejectClassifier), _facts)
