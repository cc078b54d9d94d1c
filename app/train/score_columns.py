"""Checks of a column of scores: it exists, has no other role, and holds numbers."""

from collections.abc import Iterator

import numpy as np

from app.errors import FieldError
from app.errors.faults import at
from app.features.table import Table
from app.train.plan import TrainingPlan
from app.train.trainers.scores import ScoresTrainer

__all__ = ["score_errors"]


def score_errors(
    plan: TrainingPlan, table: Table, features: tuple[str, ...]
) -> Iterator[FieldError]:
    """Yield what is wrong with the scores; a table without rows is checked as far.

    Parameters
    ----------
    plan : TrainingPlan
    table : Table
    features : tuple of str
        The columns that have no other role.
    """
    for candidate in plan.candidates:
        trainer = candidate.request.trainer
        if isinstance(trainer, ScoresTrainer):
            for detail, row in _faults(trainer, table, features):
                where = at(*candidate.place, "column")
                column = None if row is None else trainer.column
                yield FieldError(where, detail, row, column)


def _faults(
    trainer: ScoresTrainer, table: Table, features: tuple[str, ...]
) -> Iterator[tuple[str, int | None]]:
    name = trainer.column
    if name not in table.names:
        yield "the table has no such column", None
    elif name not in features:
        yield "the column has another role, or holds dates; scores are numbers", None
    elif not table.n_rows:
        return
    elif table.types[name] != "numeric":
        yield "scores are numbers; this column holds texts or booleans", None
    elif trainer.scale == "probability":
        values = table.columns[name]
        outside = np.flatnonzero((values < 0.0) | (values > 1.0))
        if len(outside):
            yield (
                (
                    f"a probability lies in [0, 1], in {len(outside)} rows it does not;"
                    ' divide percentages by 100, or ask for the scale "any"'
                ),
                int(outside[0]),
            )
