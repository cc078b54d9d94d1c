"""Re-pricing happens in the process that answers: it loads nothing that trains."""

import subprocess
import sys

_CODE = """
import sys
import numpy as np
import app.reprice.routes, app.evaluate.routes
from solvers.calibration import fit_calibration
from solvers.costs import CostMatrix
from solvers.rules.registry import RULES
draw = np.random.default_rng(0)
y = np.where(draw.random(2000) < 0.4, 1, -1)
scores = y + draw.normal(size=2000)
limits = {
    "bounded-abstention": {"max_reject_rate": 0.1},
    "bounded-error": {"max_error": 0.2},
    "bounded-cost": {"max_cost": 0.2},
}
for method in ("sigmoid", "curve"):
    calibration = fit_calibration(scores, y, method=method)
for kind, rule in RULES.items():
    made = rule(**limits.get(kind, {}))
    values = calibration.probability(scores) if made.on == "probability" else scores
    made.fit(values, y).payload()
heavy = {"numba", "llvmlite", "sklearn", "matplotlib"}
print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
"""


def test_every_rule_and_calibration_is_fitted_without_numba_and_scikit_learn():
    done = subprocess.run(
        [sys.executable, "-c", _CODE],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.strip() == "[]", done.stderr
