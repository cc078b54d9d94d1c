"""What a training tells of itself never goes back, also where one step follows another.

The line to the worker would hide it (it tells the furthest), so the pipeline is heard
directly, and its solvers report as often as they can.
"""

import itertools

import pytest

from app.train.trainers.registry import TRAINERS
from app.worker.fit.pipeline import run
from solvers.dual import active_set, state
from tests.app.worker.fit.mixed_columns import EVEN, quick, request

CHOW = {"kind": "chow"}
HARD = {"kind": "linear"}
TRAININGS = {
    **{kind: {"trainer": quick(kind)} for kind in TRAINERS},
    **{
        f"{kind}, refitted": {"trainer": quick(kind), "refit": True}
        for kind in ("double-hinge-svm", "p-svm", "abstention-trees")
    },
    **{
        method: {
            "trainer": {
                "kind": "svm",
                "reduction": {"kind": method, "max_accuracy_loss": 0.02},
            },
            "rule": CHOW,
        }
        for method in ("m1rs", "m2rs", "sca", "ssca")
    },
    **{
        f"{kind}, stopped early": {
            "trainer": {"kind": kind, "n_rounds": 40, "early_stopping": True},
            "rule": CHOW,
        }
        for kind in ("gradient-boosting", "abstention-trees", "abstention-boosting")
    },
    "a hard machine": {"trainer": {"kind": "svm", "kernel": HARD, "C": 1e4}},
    "a search": {
        "trainer": {"kind": "svm"},
        "rule": CHOW,
        "search": {"params": {"C": [0.1, 1, 100]}, "folds": 3},
        "refit": True,
    },
    "several trainers": {
        "trainer": None,
        "search": {
            "candidates": [
                {"kind": "double-hinge-svm"},
                {"kind": "svm"},
                {"kind": "gradient-boosting", "n_rounds": 5},
            ],
            "folds": 3,
        },
    },
    "a promise": {
        "trainer": {"kind": "svm"},
        "rule": {"kind": "bounded-error", "max_error": 0.2},
    },
}


@pytest.mark.parametrize("training", TRAININGS)
def test_progress_never_goes_back(monkeypatch, training):
    for module, name in ((state, "_REPORT_EVERY_S"), (active_set, "_REPORT_S")):
        assert hasattr(module, name)
        monkeypatch.setattr(module, name, -1.0)
    told = []

    def progress(fraction, message):
        told.append((fraction, message))
        return True

    run(request(**{"costs": EVEN, **TRAININGS[training]}), progress)
    fallen = [
        (before, after)
        for before, after in itertools.pairwise(told)
        if after[0] < before[0] - 1e-12
    ]
    assert fallen == []
    assert told[0][0] == 0.0
    assert 0.9 < told[-1][0] <= 1.0
    assert all(message for _, message in told)
