"""Models whose rounds are stopped early are all fitted with one number of rounds.

Each would stop at rounds of its own luck, sharper or flatter than those that its
calibration saw: what it says of the cost would be that of other models.
"""

import numpy as np
import pytest

from app.artifacts.model import ServedModel
from app.worker.fit.pipeline import run
from solvers.trainers.abstention_boosting import AbstentionBoostingClassifier
from solvers.trainers.abstention_trees import AbstentionTreeBoostingClassifier
from solvers.trainers.gradient_boosting import GradientBoostingRejectClassifier
from tests.app.worker.fit.mixed_columns import request, rows

BOOSTERS = {
    "gradient-boosting": GradientBoostingRejectClassifier,
    "abstention-boosting": AbstentionBoostingClassifier,
    "abstention-trees": AbstentionTreeBoostingClassifier,
}
NOT_BY_TIME = {"holdout": 0.25}


def fits(monkeypatch, kind, **changes):
    """Return (rows, whether it stopped early, rounds) of each fit, and the model."""
    seen, fit = [], BOOSTERS[kind].fit

    def watched(self, X, *given, **more):
        fitted = fit(self, X, *given, **more)
        seen.append((len(X), self.early_stopping, self.n_rounds_))
        return fitted

    monkeypatch.setattr(BOOSTERS[kind], "fit", watched)
    trainer = {"kind": kind, "n_rounds": 60, "early_stopping": True}
    body = request(rows(400), trainer=trainer, evaluation=NOT_BY_TIME)
    body |= {"rule": {"kind": "chow"}, **changes}
    return seen, ServedModel.from_payload(run(body, lambda *_: True).artifact)


@pytest.mark.parametrize("kind", BOOSTERS)
def test_models_of_folds_tell_the_rounds_and_all_rows_are_learnt(monkeypatch, kind):
    seen, _ = fits(monkeypatch, kind)
    told, folds, last = seen[:5], seen[5:10], seen[10:]
    assert [early for _, early, _ in seen] == [True] * 5 + [False] * 6
    n, rounds = zip(*[(n, found) for n, _, found in told], strict=True)
    mean = max(round(np.average(rounds, weights=n)), 1)
    assert {found for _, _, found in (*folds, *last)} == {mean}
    assert len(set(rounds)) > 1, "these rows show nothing"
    assert last[0][0] == 300


def test_without_early_stopping_there_is_nothing_to_look_for(monkeypatch):
    trainer = {"kind": "gradient-boosting", "n_rounds": 7, "early_stopping": False}
    seen, _ = fits(monkeypatch, "gradient-boosting", trainer=trainer)
    assert [found for _, _, found in seen] == [7] * 6


@pytest.mark.parametrize("kind", ["gradient-boosting", "abstention-trees"])
def test_the_rows_of_a_promise_calibrate_too(monkeypatch, kind):
    """They are scored by the very model that is served; its decisions ask no p."""
    promise = {"kind": "bounded-error", "max_error": 0.4}
    split = {"holdout": 0.25, "calibration": 0.25}
    _, model = fits(monkeypatch, kind, rule=promise, evaluation=split)
    assert model.calibration.rows == 300
