"""Which rows a first machine rejects or gets wrong: SCA, SSCA, M1RS and M2RS.

======  =====================================  ===============================
method  first stage                            rejected
======  =====================================  ===============================
sca     one machine f                          none
ssca    one machine f                          ``|f| < distance``
m1rs    one machine f, posteriors from f       largest posterior ``< beta``
m2rs    two machines with opposite weights     where the two disagree
======  =====================================  ===============================

``landmarks`` marks none: the last machine is one of so many landmarks on all rows.
Misclassified are the kept rows whose decision is wrong. Sources: Geebelen, Suykens,
Vandewalle (2012) for SCA and SSCA; Sousa, da Rocha Neto, Barreto, Cardoso, section 3.1,
for M1RS and M2RS. SSCA's distance is taken on both sides of the boundary, so that
exchanging the classes changes nothing and distance 0 is SCA.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.calibration import fit_calibration
from solvers.reduction.risk import best_posterior_threshold

__all__ = ["Marks", "by_distance", "by_posterior", "by_two"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What the first stage says of every training row.

    Parameters
    ----------
    rejected : array of bool, shape (n_rows,)
    wrong : array of bool, shape (n_rows,)
        Kept and misclassified.
    threshold : float or None
        M1RS: the posterior below which rows are rejected.
    """

    rejected: NDArray[np.bool_]
    wrong: NDArray[np.bool_]
    threshold: float | None = None


def by_distance(scores: Floats, signs: Floats, distance: float) -> Marks:
    """Mark by SSCA: rows nearer to the boundary than ``distance`` are rejected.

    Parameters
    ----------
    scores : array of shape (n_rows,)
        Of the first machine, in its own scale (the margin is 1).
    signs : array of shape (n_rows,), values -1 and +1
    distance : float
        0 rejects nothing, which is SCA.
    """
    rejected = np.abs(scores) < distance
    return Marks(rejected, (scores * signs <= 0.0) & ~rejected)


def by_posterior(
    scores: Floats, signs: Floats, weights: Floats, rejection_cost: float
) -> Marks:
    """Mark by M1RS: rows whose larger posterior is below the best threshold.

    Posterior and threshold come from the training rows themselves, as the method has
    it: it needs no honest probability, only an order of the rows.

    Parameters
    ----------
    scores, signs, weights : arrays of shape (n_rows,)
    rejection_cost : float
    """
    curve = fit_calibration(scores, signs, weights, method="sigmoid")
    p = curve.probability(scores)
    posterior = np.maximum(p, 1.0 - p)
    mistaken = np.where(p > 0.5, 1.0, -1.0) != signs
    threshold = best_posterior_threshold(posterior, mistaken, weights, rejection_cost)
    rejected = posterior < threshold
    # The decision is the machine's own; the posterior only measures its confidence.
    return Marks(rejected, (scores * signs <= 0.0) & ~rejected, threshold)


def by_two(first: Floats, second: Floats, signs: Floats) -> Marks:
    """Mark by M2RS: rows on which two machines disagree are rejected.

    Parameters
    ----------
    first, second, signs : arrays of shape (n_rows,)
        Scores of the two machines, and the labels -1 and +1.
    """
    rejected = (first > 0.0) != (second > 0.0)
    both_wrong = (np.where(first > 0.0, 1.0, -1.0) != signs) & ~rejected
    return Marks(rejected, both_wrong)
