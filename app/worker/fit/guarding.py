"""Fit the guards that a training asks for, on its training rows."""

from app.guards.guards import Guards
from app.guards.outlier import OutlierGuard
from app.worker.fit.job import Job
from app.worker.fit.out_of_fold import Known

__all__ = ["fit_guards"]


def fit_guards(job: Job, known: Known) -> Guards:
    """Return the guards of a request; they see the training rows alone."""
    asked = job.request.guards
    outlier = None
    if asked.outlier:
        groups = job.sample.groups
        outlier = OutlierGuard.fit(
            known.features,
            known.matrix,
            None if groups is None else groups[known.part.rows],
            job.request.evaluation.seed,
        )
    return Guards(asked.missing_value, asked.unseen_category, outlier)
