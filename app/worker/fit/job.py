"""What every step of one training reads: request, table, special columns, prices."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.artifacts.rating import Rating
from app.artifacts.row_prices import OwnPrices, RowPrices
from app.evidence.part import Part, take
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.train.compatibility import believed, row_prices
from app.train.plan import TrainingPlan
from app.train.schemas import TrainRequest
from app.train.target import Sample
from app.train.trainers.registry import TRAINERS
from app.train.trainers.scores import ScoresTrainer
from app.worker.fit.builders import BUILDERS, Builder, Setting
from app.worker.fit.report import Report
from solvers.costs import CostMatrix

__all__ = ["Job", "Lesson"]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What an estimator learns from.

    Parameters
    ----------
    matrix : ndarray of shape (n_lessons, n_encoded)
    target : ndarray of shape (n_lessons,)
        Labels -1 and +1, or probabilities of +1 where it takes them.
    weight : ndarray of shape (n_lessons,) or None
        None is 1 for all.
    options : dict
        What ``fit`` takes beside these.
    position : ndarray of shape (n_lessons,)
        Which of the rows each lesson is of.
    """

    matrix: Floats
    target: Floats
    weight: Floats | None
    options: dict[str, Any]
    position: NDArray[np.intp]

    def fit(self, estimator: Any) -> Any:
        """Return an estimator, fitted on this."""
        return estimator.fit(
            self.matrix, self.target, sample_weight=self.weight, **self.options
        )


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One training, as its plan has it; ``request`` is one candidate's."""

    plan: TrainingPlan
    request: TrainRequest
    table: Table
    sample: Sample

    @property
    def costs(self) -> CostMatrix | None:
        """Return the prices; None where there are none, or some follow columns."""
        return self.plan.costs

    @property
    def builder(self) -> Builder:
        """Return how the trainer is built."""
        return BUILDERS[self.request.trainer.kind]

    @property
    def link(self) -> Callable[[Any], float] | None:
        """Return the link that the estimator has and that is believed, if any.

        That is where the rows taught it probabilities: at least half of them.
        """
        p = self.sample.y
        taught = self.sample.probabilities and np.mean((p > 0.0) & (p < 1.0)) >= 0.5
        return self.builder.link if taught and believed(self.request) else None

    def rating(self, estimator: Any) -> Rating | None:
        """Return the bands of confidence that a fitted estimator rates rows by."""
        return None if self.builder.rating is None else self.builder.rating(estimator)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns that the trainer reads."""
        trainer = self.request.trainer
        if isinstance(trainer, ScoresTrainer):
            return (trainer.column,)
        return self.sample.features

    @property
    def prices(self) -> RowPrices | None:
        """Return the prices where some follow columns of the row."""
        return row_prices(self.request.costs)

    def own_prices(self, rows: Rows) -> OwnPrices | None:
        """Return the prices of these rows, where they have some of their own."""
        prices = self.prices
        if prices is None:
            return None
        return prices.at(
            {name: self.table.columns[name][rows] for name in prices.columns}
        )

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

    def lesson(self, part: Part, matrix: Floats) -> Lesson:
        """Return what these rows teach.

        Where targets are probabilities and the trainer takes labels, a doubtful row
        is learnt twice: as +1 with weight w p and as -1 with weight w (1 - p). Both
        are of one group, so that nothing which keeps rows apart separates them.

        Parameters
        ----------
        part : Part
        matrix : ndarray of shape (n_rows, n_encoded)
            Its rows, encoded.
        """
        target, weight = part.positive, part.sample_weight
        position = np.arange(len(part.rows))
        if not self.sample.probabilities:
            target = np.where(part.positive > 0.5, 1.0, -1.0)
        elif not TRAINERS[self.request.trainer.kind].probabilities:
            position, label, weight = part.certain()
            target, matrix = label.astype(np.float64), matrix[position]
        groups = self.sample.groups
        group = part.rows if groups is None else groups[part.rows]
        doubled = len(position) > len(part.rows)
        options: dict[str, Any] = {}
        if self.builder.keeps_apart and (groups is not None or doubled):
            options["groups"] = group[position]
        own = self.own_prices(part.rows) if self.builder.takes_prices else None
        if own is not None:
            options["costs"] = own.costs.take(position)
        if self.sample.precision is not None:
            options["label_precision"] = self.sample.precision[part.rows]
        return Lesson(matrix, target, weight, options, position)
