"""A fitted model as plain data, scored with NumPy alone.

What trains needs numba and scikit-learn; what answers requests needs neither. A
trainer hands over ``scorer_payload()``, a dictionary of arrays, numbers and strings;
``load`` makes a scorer of it.
"""

from solvers.scoring.base import Outputs, Scorer, load, register

__all__ = ["Outputs", "Scorer", "load", "register"]
