"""What every step of one training reads: request, table, special columns, prices."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evidence.part import Part, take
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.train.schemas import TrainRequest
from app.train.target import Sample
from app.worker.fit.builders import BUILDERS, Builder, Setting
from app.worker.fit.report import Report
from solvers.costs import CostMatrix

__all__ = ["Job"]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One training, as its request asks for it."""

    request: TrainRequest
    table: Table
    sample: Sample
    costs: CostMatrix | None

    @property
    def builder(self) -> Builder:
        """Return how the trainer is built."""
        return BUILDERS[self.request.trainer.kind]

    def part(self, rows: Rows) -> Part:
        """Return these rows, at the share of +1 in use."""
        return take(self.sample, rows, self.request.prevalence)

    def estimator(self, features: FeatureSchema, report: Report) -> Any:
        """Return a fresh estimator that reports its progress."""
        request = self.request
        last = features.n_encoded - len(features.categoricals)
        codes = range(last, features.n_encoded) if features.missing_native else ()
        setting = Setting(self.costs, request.evaluation.seed, tuple(codes))
        made = self.builder.make(request.trainer, setting)
        made._progress = report  # noqa: SLF001 - the trainers' agreed private door
        return made

    def fit_options(self, part: Part) -> dict[str, Any]:
        """Return what the estimator's ``fit`` takes beside rows, target and weight."""
        groups = self.sample.groups
        if groups is None or not self.builder.keeps_apart:
            return {}
        return {"groups": groups[part.rows]}

    def target(self, part: Part) -> Floats:
        """Return what the estimator learns: labels, or probabilities of +1."""
        if self.sample.probabilities:
            return part.positive
        return np.where(part.positive > 0.5, 1.0, -1.0)
