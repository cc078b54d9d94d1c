"""What the process that answers requests loads, and what it leaves to the worker."""

import subprocess
import sys

_CODE = """
import sys
import app.main
import app.predict.bulk
from app.predict.ready_model import ReadyModel
heavy = {"numba", "llvmlite", "sklearn", "scipy", "matplotlib"}
print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
"""


def test_the_api_process_loads_neither_numba_nor_scikit_learn():
    done = subprocess.run(
        [sys.executable, "-c", _CODE],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "[]"
