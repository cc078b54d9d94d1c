"""A search without a service."""

import json

from app.worker.fit.pipeline import run

GRID = {"params": {"C": [0.1, 1, 10], "kernel.gamma": [0.1, "scale"]}, "folds": 3}
QUICK = {"kind": "adaboost", "params": {"n_rounds": [2, 8]}}


def trained(request, said=None):
    def progress(fraction, message):
        if said is not None:
            said.append((fraction, message))
        return True

    result = run(request, progress)
    json.dumps(result.summary, allow_nan=False)
    return result


def told(table):
    """The figures of a table's rows, without what differs from run to run."""
    return [{k: v for k, v in row.items() if k != "seconds"} for row in table]
