"""Fit the guards that a training asks for, on its training rows.

What is far outside of training is told by the outlier guard's measure whether it is on
or not: the limits of each column stay, the rows that they were measured on do not.
A given probability is far outside where it is none.
"""

from dataclasses import replace

from app.features.schema import FeatureSchema
from app.guards.guards import Guards
from app.guards.outlier import OutlierGuard
from app.train.trainers.scores import ScoresTrainer
from app.worker.fit.job import Job
from app.worker.fit.out_of_fold import Known

__all__ = ["fit_guards", "with_reach"]


def fit_guards(job: Job, known: Known) -> Guards:
    """Return the guards of a request; they see the training rows alone."""
    asked = job.plan.guards
    outlier = _outlier(job, known) if asked.outlier else None
    missing = "any" if asked.missing_value is True else asked.missing_value or None
    return Guards(missing, bool(asked.unseen_category), outlier)


def with_reach(job: Job, known: Known, guards: Guards) -> FeatureSchema:
    """Return the features with the limits beyond which a number is far outside."""
    trainer = job.request.trainer
    if isinstance(trainer, ScoresTrainer) and trainer.scale == "probability":
        (score,) = known.features.features
        return replace(known.features, features=(replace(score, least=0.0, most=1.0),))
    measure = guards.outlier or _outlier(job, known)
    return measure.reach(known.features, job.table.take(known.part.rows))


def _outlier(job: Job, known: Known) -> OutlierGuard:
    groups = job.sample.groups
    return OutlierGuard.fit(
        known.features,
        known.matrix,
        None if groups is None else groups[known.part.rows],
        job.request.evaluation.seed,
    )
