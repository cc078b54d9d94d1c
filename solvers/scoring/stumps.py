"""Ensembles of stumps as data: h and r are sums of one step function per feature.

    h(x) = sum_f H_f(x_f),     r(x) = constant + sum_f R_f(x_f)

All stumps on a feature together are piecewise constant between their thresholds, so
scoring a row is one search per feature, whatever the number of stumps, and the terms
are the row's explanation. Weights are multiples of 2^-40: sums of them are exact as
long as they stay below 4,096, hence the same in any order and any batch.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.calibration.joint import leaned
from solvers.scoring.base import Outputs, PairScorer, register

__all__ = ["AdaBoostStumpsScorer", "StepFunctions", "StumpSums", "StumpsScorer"]

Floats = NDArray[np.float64]

_FEW_ROWS = 8
"""Up to here a search in a Python list beats the overhead of array calls."""

_BLOCK = 4096
_FIELDS = ("feature", "lower", "upper", "left", "middle", "right", "missing", "weight")


@dataclass(frozen=True, slots=True)
class StepFunctions:
    """One feature's step functions: values between the cuts, then for NaN."""

    feature: int
    cuts: Floats
    h: Floats
    r: Floats
    lists: tuple[list[float], list[float], list[float]]

    def places(self, x: Floats) -> NDArray[np.intp]:
        """Return the interval of each value: how many cuts lie below it."""
        found = np.searchsorted(self.cuts, x, side="left")
        found[np.isnan(x)] = len(self.cuts) + 1
        return found


class StumpSums(PairScorer):
    """What the two kinds of stump ensembles share."""

    kind = "stumps"
    missing = True

    def __init__(self, payload: Mapping[str, Any]) -> None:
        super().__init__(payload)
        self.n_features = int(payload["n_features"])
        self.constant = float(payload["constant"])
        stumps = {name: np.asarray(payload[name]) for name in _FIELDS}
        self.steps = [
            _steps_of(int(f), {k: v[stumps["feature"] == f] for k, v in stumps.items()})
            for f in np.unique(stumps["feature"])
        ]

    def pair(self, X: Floats) -> tuple[Floats, Floats]:
        """Return h and r of each row of X, shape (n_rows, n_features)."""
        if len(X) <= _FEW_ROWS:
            return self._pair_of_few(X)
        h, r = np.zeros(len(X)), np.full(len(X), self.constant)
        for start in range(0, len(X), _BLOCK):
            rows = X[start : start + _BLOCK]
            to_h, to_r = h[start : start + _BLOCK], r[start : start + _BLOCK]
            for steps in self.steps:
                places = steps.places(rows[:, steps.feature])
                to_h += steps.h[places]
                to_r += steps.r[places]
        return h, r

    def _pair_of_few(self, X: Floats) -> tuple[Floats, Floats]:
        sums = []
        for row in X.tolist():
            h, r = 0.0, self.constant
            for steps in self.steps:
                cuts, to_h, to_r = steps.lists
                x = row[steps.feature]
                place = bisect_left(cuts, x) if x == x else -1  # noqa: PLR0124 - NaN
                h += to_h[place]
                r += to_r[place]
            sums.append((h, r))
        both = np.array(sums, dtype=np.float64).reshape(-1, 2)
        return both[:, 0].copy(), both[:, 1].copy()

    def probability(self, X: Floats) -> None:  # noqa: ARG002 - the protocol's signature
        """Return None: probabilities come from a calibration of the score."""
        return

    def outputs(self, X: Floats) -> Outputs:
        """Return h and r of each row."""
        return Outputs(*self.pair(X))

    def explain(self, X: Floats) -> dict[str, Any]:
        """Return what each feature adds to h and to r of each row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)

        Returns
        -------
        dict
            "h" and "r", arrays of shape (n_rows, n_features); "r_constant", what r
            begins with. The sums of a row are exactly its h and r.
        """
        h, r = np.zeros(X.shape), np.zeros(X.shape)
        for steps in self.steps:
            places = steps.places(X[:, steps.feature])
            h[:, steps.feature] = steps.h[places]
            r[:, steps.feature] = steps.r[places]
        return {"h": h, "r": r, "r_constant": self.constant}

    def importance(self) -> dict[str, Floats]:
        """Return each feature's part in the model, measured on the training rows.

        Returns
        -------
        dict of arrays of shape (n_features,)
            "h": mean distance of what the feature adds to h from its own mean; "r":
            mean of what it takes from r; "rejected": the same over the rejected
            training rows alone.
        """
        measured = self._payload["importance"]
        return {
            name: np.asarray(values, dtype=float) for name, values in measured.items()
        }


@register("stumps")
class StumpsScorer(StumpSums):
    """Abstention stumps: a classifier h and a rejector r.

    Parameters
    ----------
    payload : mapping
        ``n_features``; arrays of one entry a stump: ``feature``, ``lower``,
        ``upper``, the answers (+1, -1, 0 = reject) ``left``, ``middle``, ``right``,
        ``missing``, and ``weight``; ``constant``, the weight of the pair (0, +1);
        ``importance``, see the method. With ``leaning`` the probability is calibrated
        on what h and r say together (`solvers.calibration.joint`).
    """

    kind = "stumps"

    @property
    def leaning(self) -> float:
        """How much of the probability r says; 0: all is said by h."""
        return float(self._payload.get("leaning", 0.0))

    def outputs(self, X: Floats) -> Outputs:
        """Return h and r of each row, and what they say together."""
        h, r = self.pair(X)
        return Outputs(h, r, leaned(h, r, self.leaning) if self.leaning else None)


@register("adaboost-stumps")
class AdaBoostStumpsScorer(StumpSums):
    """Plain stumps: a classifier h, the same payload; answer 0 adds nothing."""

    kind = "adaboost-stumps"

    def reject_scores(self, X: Floats) -> None:  # noqa: ARG002 - the protocol's signature
        """Return None: AdaBoost has no reject function."""
        return

    def outputs(self, X: Floats) -> Outputs:
        """Return the score of each row; there is nothing else."""
        return Outputs(self.score(X))

    def explain(self, X: Floats) -> dict[str, Any]:
        """Return what each feature adds to h of each row, as "h"."""
        return {"h": super().explain(X)["h"]}


def _steps_of(feature: int, stumps: dict[str, NDArray[Any]]) -> StepFunctions:
    """Return the step functions of one feature's stumps."""
    ends = np.concatenate((stumps["lower"], stumps["upper"]))
    cuts = np.unique(ends[np.isfinite(ends)])
    lines = np.concatenate(([-np.inf], cuts, [np.inf]))
    h, r = np.zeros(len(cuts) + 2), np.zeros(len(cuts) + 2)
    for k in range(len(stumps["feature"])):
        lower, upper = stumps["lower"][k], stumps["upper"][k]
        answers = np.full(len(cuts) + 1, stumps["middle"][k])
        # Interval i holds the x with lines[i] < x <= lines[i + 1].
        answers[lines[1:] <= lower] = stumps["left"][k]
        answers[lines[:-1] >= upper] = stumps["right"][k]
        answers = np.append(answers, stumps["missing"][k])
        h += stumps["weight"][k] * answers
        r -= stumps["weight"][k] * (answers == 0)
    return StepFunctions(feature, cuts, h, r, (cuts.tolist(), h.tolist(), r.tolist()))
