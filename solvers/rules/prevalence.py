"""Rows of one share of +1, weighted to stand for another.

    w_+ = pi' / pi,     w_- = (1 - pi') / (1 - pi)

where the share of +1 in use is ``pi'`` and that among the rows is ``pi``, and the
scores of each class stay as they are. With these weights every rule, cost and rate is
that of the use (Elkan 2001).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.errors import InfeasibleRuleError
from solvers.rules.inputs import as_positive, as_weights

__all__ = ["prevalence_weights"]


def prevalence_weights(
    y: ArrayLike, prevalence: float, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return weights under which a share ``prevalence`` of the rows is +1.

    Parameters
    ----------
    y : array-like of shape (n_rows,), values -1 and +1
    prevalence : float in (0, 1)
    sample_weight : array-like of shape (n_rows,), optional
        Weights that the rows have already.

    Raises
    ------
    ValueError
        When the prevalence is not strictly between 0 and 1.
    InfeasibleRuleError
        When a class is absent.
    """
    if not 0.0 < prevalence < 1.0:
        msg = f"prevalence must lie strictly between 0 and 1, got {prevalence!r}"
        raise ValueError(msg)
    positive = as_positive(y, len(np.asarray(y)))
    given = as_weights(sample_weight, len(positive))
    weights = np.ones(len(positive)) if given is None else given
    share = float(np.average(positive, weights=weights)) if weights.any() else 0.0
    if not 0.0 < share < 1.0:
        msg = "no prevalence can be corrected where one class is absent"
        raise InfeasibleRuleError(msg)
    factor = np.where(positive, prevalence / share, (1.0 - prevalence) / (1.0 - share))
    return np.asarray(weights * factor)
