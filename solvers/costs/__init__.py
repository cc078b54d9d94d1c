"""What each decision costs, and the probabilities at which the cheapest one changes.

======================  ===================  ===================
decision                y = +1               y = -1
======================  ===================  ===================
+1                      0                    ``false_positive``
reject                  ``reject_positive``  ``reject_negative``
-1                      ``false_negative``   0
======================  ===================  ===================

With ``p = P(y = +1)``, calling +1 is cheapest above ``p_plus``, calling -1 below
``p_minus``, rejecting between them (Grandvalet et al. 2008, equation 4).
"""

from solvers.costs.matrix import CostMatrix
from solvers.costs.rows import RowCosts

__all__ = ["CostMatrix", "RowCosts"]
