"""Rows with what is known about their class: a part of the table.

``positive`` is the probability of +1: 1 or 0 for labels. With a ``prevalence`` other
than the part's own, by Bayes' rule a row (p, w) becomes

    p' = p a / (p a + (1 - p) b),    w' = w (p a + (1 - p) b),

a and b the ratios of the classes' shares in use to those in the part; for labels that
is one factor for each class.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError
from app.errors.faults import refuse
from app.train.target import Sample

__all__ = ["Part", "take"]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows of a table.

    Parameters
    ----------
    rows : ndarray of shape (n_rows,)
        Their indices in the table.
    positive : ndarray of shape (n_rows,)
        Probability of +1.
    weight : ndarray of shape (n_rows,)
    weighted : bool
        Whether the weights differ from 1.
    groups : ndarray of shape (n_rows,) or None
        One number for all rows that were drawn together; None: each row by itself.
    keys : ndarray of shape (n_rows,) or None
        What tells rows apart, for rules with a promise.
    """

    rows: Rows
    positive: Floats
    weight: Floats
    weighted: bool
    groups: Rows | None = None
    keys: Rows | None = None

    @property
    def sample_weight(self) -> Floats | None:
        """Return the weights, or None where all are 1."""
        return self.weight if self.weighted else None

    def only(self, kept: NDArray[np.bool_]) -> "Part":
        """Return some of the rows, as they are."""
        return Part(
            self.rows[kept],
            self.positive[kept],
            self.weight[kept],
            self.weighted,
            None if self.groups is None else self.groups[kept],
            None if self.keys is None else self.keys[kept],
        )

    def at_prevalence(self, prevalence: float) -> "Part":
        """Return the rows at another share of +1.

        Raises
        ------
        InvalidRequestError
            When the rows have one class only.
        """
        positive, weight = self.positive, self.weight
        share = float(np.average(positive, weights=weight))
        if not 0.0 < share < 1.0:
            detail = (
                "a part of the rows has one class only, no share of +1 can be corrected"
            )
            raise refuse([FieldError("/prevalence", detail)])
        up, down = prevalence / share, (1.0 - prevalence) / (1.0 - share)
        factor = positive * up + (1.0 - positive) * down
        return replace(
            self, positive=positive * up / factor, weight=weight * factor, weighted=True
        )

    @property
    def signs(self) -> NDArray[np.bool_]:
        """Return the likelier class of each row: True is +1."""
        return np.asarray(self.positive > 0.5)

    def certain(self) -> tuple[Rows, NDArray[np.int8], Floats]:
        """Return the rows as labelled ones: (position, label -1 or +1, weight).

        An uncertain row counts once for each class, with its probability.
        """
        certainly = np.flatnonzero((self.positive == 0.0) | (self.positive == 1.0))
        torn = np.flatnonzero((self.positive > 0.0) & (self.positive < 1.0))
        position = np.concatenate((certainly, torn, torn))
        label = np.concatenate(
            (
                np.where(self.positive[certainly] == 1.0, 1, -1),
                np.ones(len(torn)),
                -np.ones(len(torn)),
            )
        )
        share = np.where(
            label > 0, self.positive[position], 1 - self.positive[position]
        )
        return position, label.astype(np.int8), self.weight[position] * share


def take(sample: Sample, rows: Rows, prevalence: float | None) -> Part:
    """Return these rows of a sample, at the share of +1 that will be in use.

    Raises
    ------
    InvalidRequestError
        When a prevalence is asked for and the rows have one class only.
    """
    positive = sample.y[rows] if sample.probabilities else (sample.y[rows] + 1.0) / 2.0
    weight = np.ones(len(rows)) if sample.weight is None else sample.weight[rows]
    groups = None if sample.groups is None else sample.groups[rows]
    keys = None if sample.keys is None else sample.keys[rows]
    part = Part(rows, positive, weight, sample.weight is not None, groups, keys)
    return part if prevalence is None else part.at_prevalence(prevalence)
